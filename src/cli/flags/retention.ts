import type { Count, RetentionPolicy } from "../../backup/retention.ts";
import { isEmptyPolicy, parseCalendarSpan } from "../../backup/retention.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Arguments, Flag } from "./outline.ts";

const count = (describe: string) => ({ type: "string", requiresArg: true, describe }) as const;

/** Flags that set which backups to keep, with the meaning that they have in restic. */
export const retentionFlags = {
  "keep-last": count("Keep the N newest backups of each stack (or: all)"),
  "keep-hourly": count("Keep the newest backup in each of the last N hours that have one (UTC)"),
  "keep-daily": count("Keep the newest backup in each of the last N days that have one (UTC)"),
  "keep-weekly": count("Keep the newest backup in each of the last N weeks that have one (ISO, from Monday, UTC)"),
  "keep-monthly": count("Keep the newest backup in each of the last N months that have one (UTC)"),
  "keep-yearly": count("Keep the newest backup in each of the last N years that have one (UTC)"),
  "keep-within": count(
    "Keep backups made within this time before the newest one, for instance 7d or 1y5m7d2h (m: months)",
  ),
} as const satisfies Readonly<Record<string, Flag>>;

/** Returns the retention policy that the flags give. @throws StackferryError `usage` */
export function retentionPolicy(args: Arguments<typeof retentionFlags>): RetentionPolicy {
  const counts = (["Last", "Hourly", "Daily", "Weekly", "Monthly", "Yearly"] as const).flatMap((name) => {
    const text = args[`keep${name}`];
    const reason = name.toLowerCase();
    return text === undefined ? [] : [[reason, countOf(text, `--keep-${reason}`)] as const];
  });
  const text = args.keepWithin;
  const within = text === undefined ? undefined : parseCalendarSpan(text);
  if (text !== undefined && within === undefined) {
    throw new StackferryError("usage", "--keep-within needs years, months, days or hours, for instance 1y5m7d2h");
  }
  const policy = { ...Object.fromEntries(counts), ...(within !== undefined && { within }) };
  if (Object.keys(policy).length > 0 && isEmptyPolicy(policy)) {
    throw new StackferryError("usage", "the --keep-… flags keep nothing: 0 keeps none", {
      hint: "give one of them a number above 0, or omit them all to use the rules of the configuration",
    });
  }
  return policy;
}

function countOf(text: string, flag: string): Count {
  if (text === "all" || text === "unlimited") return "all";
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new StackferryError("usage", `${flag} needs a number, or all`);
}

/** Parses the whole number of a flag; undefined if the flag is not given. @throws StackferryError `usage` */
export function numberFlag(
  text: string | undefined,
  flag: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new StackferryError("usage", `${flag} must be a number from ${least} to ${most}`);
}
