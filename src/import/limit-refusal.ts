import type { Refusal } from "../core/resource-kind.ts";
import { MAX_NAMED, joinNames } from "../core/text/format.ts";
import type { Excess } from "../kinds/limits.ts";

/** Names the members of a body that exceed a limit of the API, each with the change that makes it fit. */
export function excessText(excess: readonly Excess[]): string {
  return joinNames(excess, MAX_NAMED, ({ pointer, change }) => `${pointer}: ${change}`);
}

/**
 * Tells why a body that exceeds limits of the API is not written; undefined if `--fit-limits` converts the body.
 * @param messageFor makes the message from a text that names the members: `fixed` if no accepted form means the same, `fitting` if
 * `--fit-limits` would convert the body
 */
export function limitRefusal(
  excess: readonly Excess[],
  fitLimits: boolean,
  messageFor: Readonly<Record<"fixed" | "fitting", (members: string) => string>>,
): Refusal | undefined {
  const fixed = excess.filter((each) => each.fixed);
  if (fixed.length > 0) return { code: "over-limit", message: messageFor.fixed(excessText(fixed)) };
  if (excess.length === 0 || fitLimits) return undefined;
  return { code: "needs-fitting", message: messageFor.fitting(excessText(excess)) };
}
