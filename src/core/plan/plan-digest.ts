import { StackferryError } from "../errors.ts";

const LENGTH = 64;
/** Number of digits that a dry run prints, and the fewest that name a plan. */
const SHORT_LENGTH = 16;

const PATTERN = new RegExp(`^[0-9a-f]{${SHORT_LENGTH},${LENGTH}}$`, "i");

/** Returns the digits by which people name a plan. */
export function shortDigest(digest: string): string {
  return digest.slice(0, SHORT_LENGTH);
}

/** Checks the digits of an approved plan. @throws StackferryError `usage` */
export function checkPlanDigest(digits: string | undefined, dryRun: boolean | undefined): string | undefined {
  if (digits === undefined) return undefined;
  if (dryRun === true) {
    throw new StackferryError("usage", "--plan and --dry-run exclude each other", {
      hint: "--plan carries a plan out, --dry-run only shows the plan.",
    });
  }
  if (PATTERN.test(digits)) return digits.toLowerCase();
  throw new StackferryError("usage", `--plan takes ${SHORT_LENGTH} to ${LENGTH} hexadecimal digits`, {
    hint: "They are in the last line of a dry run: Plan 3f9a1c0d22b7e451",
  });
}
