import { isJsonArray, type JsonObject, type JsonValue } from "../core/json.ts";
import { formatPointer, tokensAt, valueAtTokens, visitValues, withValueAt } from "../core/records/member-path.ts";
import type { AlteredMember } from "../core/plan/plan.ts";
import type { ValueLimit, ResourceKind } from "../core/resource-kind.ts";

/** A value that a write would refuse, and its replacement. */
export interface RefusedValue extends AlteredMember {
  readonly tokens: readonly string[];
  /** The replacement; absent if a write leaves out the value. */
  readonly value?: JsonValue;
  /** True if any replacement would have another meaning. */
  readonly fixed: boolean;
}

/**
 * Finds all values of a body that answers contain and writes refuse, in the order of the kind's limits.
 * @param now Unix milliseconds, for limits that depend on the time; without `now`, these limits are not checked
 */
export function findRefusedValues(
  { limits }: Pick<ResourceKind, "limits">,
  body: JsonObject,
  now = Number.NaN,
): RefusedValue[] {
  return limits.flatMap((limit) => {
    const found: RefusedValue[] = [];
    visitValues(body, limit.path, (value, indices) => {
      const replacement = limit.fit(value, body, now);
      if (replacement === undefined) return;
      const tokens = tokensAt(limit.path, indices);
      found.push({ pointer: formatPointer(tokens), tokens, fixed: limit.fixed === true, ...replacement });
    });
    return found;
  });
}

/** Returns the body with each refused value replaced or left out. A `fixed` value stays as it is. */
export function fitBody(kind: ResourceKind, body: JsonObject, now: number | undefined): JsonObject {
  return kind.limits.reduce((fitted, limit) => {
    const refused = findRefusedValues({ limits: [limit] }, fitted, now).filter(({ fixed }) => !fixed);
    const changed = refused.filter(({ value }) => value !== undefined);
    const leftOut = refused.filter(({ value }) => value === undefined);
    const fittedBody = changed.reduce((copy, { tokens, value }) => withValueAt(copy, tokens, value), fitted);
    // Items are removed from the end, so that the indices of earlier items stay valid.
    return leftOut.reduceRight((copy, { tokens }) => withoutItem(copy, tokens), fittedBody);
  }, body);
}

/** Limits a text to `max` UTF-16 units, as the server counts. Does not split a surrogate pair. */
export function characters(max: number): ValueLimit["fit"] {
  return (value) => {
    if (typeof value !== "string" || value.length <= max) return undefined;
    const cut = value.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
    return { value: cut, change: `the first ${max} of ${value.length} characters` };
  };
}

export function items(max: number): ValueLimit["fit"] {
  return (value) => {
    if (!isJsonArray(value) || value.length <= max) return undefined;
    return { value: value.slice(0, max), change: `the first ${max} of ${value.length} items` };
  };
}

export function range(min: number, max = Infinity): ValueLimit["fit"] {
  return (value) => {
    if (typeof value !== "number") return undefined;
    const nearest = Math.min(Math.max(value, min), max);
    return nearest === value ? undefined : { value: nearest, change: `${nearest} instead of ${value}` };
  };
}

/** Leaves out each item that `accepts` refuses. @param what the accepted items, for people */
export function only(accepts: (item: JsonValue) => boolean, what: string): ValueLimit["fit"] {
  return (value) => (accepts(value) ? undefined : { change: `left out: only ${what} are accepted` });
}

function withoutItem(body: JsonObject, tokens: readonly string[]): JsonObject {
  const list = valueAtTokens(body, tokens.slice(0, -1));
  if (!isJsonArray(list)) return withValueAt(body, tokens, undefined);
  const rest = list.filter((_, index) => String(index) !== tokens.at(-1));
  return withValueAt(body, tokens.slice(0, -1), rest);
}
