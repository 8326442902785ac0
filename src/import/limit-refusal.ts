import type { Refusal } from "../core/resource-kind.ts";
import { MAX_NAMED, joinNames } from "../core/text/format.ts";
import type { RefusedValue } from "../kinds/limits.ts";

/** Names the members of a body that exceed a limit of the API, each with the change that makes it fit. */
function refusedValuesText(refused: readonly RefusedValue[]): string {
  return joinNames(refused, MAX_NAMED, ({ pointer, change }) => `${pointer}: ${change}`);
}

/**
 * Tells why a body that exceeds limits of the API is not written; undefined if `--fit-limits` converts the body.
 * @param messageFor makes the message from a text that names the members: `fixed` if no accepted form means the same, `fitting` if
 * `--fit-limits` would convert the body
 */
export function limitRefusal(
  refused: readonly RefusedValue[],
  fitLimits: boolean,
  messageFor: Readonly<Record<"fixed" | "fitting", (members: string) => string>>,
): Refusal | undefined {
  const fixed = refused.filter((each) => each.fixed);
  if (fixed.length > 0) return { code: "over-limit", message: messageFor.fixed(refusedValuesText(fixed)) };
  if (refused.length === 0 || fitLimits) return undefined;
  return { code: "needs-fitting", message: messageFor.fitting(refusedValuesText(refused)) };
}
