import type { JsonObject } from "../core/json.ts";
import type { Refusal, ResourceKind } from "../core/resource-kind.ts";
import { MAX_NAMED, joinNames } from "../core/text/format.ts";
import type { RefusedValue } from "../kinds/limits.ts";
import { placeForPeople } from "./refused-places.ts";

/** A body, and its values that exceed a limit of the API. */
interface RefusedBody {
  readonly kind: ResourceKind;
  readonly body: JsonObject;
  readonly refused: readonly RefusedValue[];
}

/** Names the values, each with the change that makes it fit. */
function refusedValuesText({ kind, body }: RefusedBody, refused: readonly RefusedValue[]): string {
  return joinNames(refused, MAX_NAMED, ({ tokens, change }) => {
    return `${placeForPeople(kind, body, tokens.join("."))}: ${change}`;
  });
}

/**
 * Tells why a body that exceeds limits of the API is not written; undefined if `--fit-limits` converts the body.
 * @param messageFor makes the message from a text that names the members: `fixed` if no accepted form means the same, `fitting` if
 * `--fit-limits` would convert the body
 */
export function limitRefusal(
  of: RefusedBody,
  fitLimits: boolean,
  messageFor: Readonly<Record<"fixed" | "fitting", (members: string) => string>>,
): Refusal | undefined {
  const fixed = of.refused.filter((each) => each.fixed);
  if (fixed.length > 0) return { code: "would-be-refused", message: messageFor.fixed(refusedValuesText(of, fixed)) };
  if (of.refused.length === 0 || fitLimits) return undefined;
  return { code: "needs-fitting", message: messageFor.fitting(refusedValuesText(of, of.refused)) };
}
