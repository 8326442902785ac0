import { isJsonArray, type JsonObject, type JsonValue } from "../core/json.ts";
import { formatPointer, tokensAt, valueAtTokens, visitValues, withValueAt } from "../core/records/member-path.ts";
import type { AlteredMember } from "../core/plan/plan.ts";
import type { ValueLimit, ResourceKind } from "../core/resource-kind.ts";

export interface RefusedValue extends AlteredMember {
  readonly tokens: readonly string[];
  readonly value?: JsonValue;
  /** True if any replacement would have another meaning. */
  readonly fixed: boolean;
}

/** @param now Unix milliseconds; without `now`, limits that depend on the time are not checked */
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

export function fitBody(kind: ResourceKind, body: JsonObject, now: number | undefined): JsonObject {
  return kind.limits.reduce((fitted, limit) => {
    const refused = findRefusedValues({ limits: [limit] }, fitted, now).filter(({ fixed }) => !fixed);
    const changed = refused.filter(({ value }) => value !== undefined);
    const leftOut = refused.filter(({ value }) => value === undefined);
    const fittedBody = changed.reduce((copy, { tokens, value }) => withValueAt(copy, tokens, value), fitted);
    // From the end, because a removed item changes the indices of later items.
    return leftOut.reduceRight((copy, { tokens }) => withoutItem(copy, tokens), fittedBody);
  }, body);
}

/** The server counts UTF-16 units. */
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

export function only(accepts: (item: JsonValue) => boolean, what: string): ValueLimit["fit"] {
  return (value) => (accepts(value) ? undefined : { change: `left out: only ${what} are accepted` });
}

function withoutItem(body: JsonObject, tokens: readonly string[]): JsonObject {
  const list = valueAtTokens(body, tokens.slice(0, -1));
  if (!isJsonArray(list)) return withValueAt(body, tokens, undefined);
  const rest = list.filter((_, index) => String(index) !== tokens.at(-1));
  return withValueAt(body, tokens.slice(0, -1), rest);
}
