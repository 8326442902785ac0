import { isJsonArray, type JsonObject, type JsonValue } from "../core/json.ts";
import { formatPointer, tokensAt, valueAtTokens, visitValues, withValueAt } from "../core/records/member-path.ts";
import type { AlteredMember } from "../core/plan/plan.ts";
import type { ValueLimit, ResourceKind } from "../core/resource-kind.ts";

/** A value in a body that a write would refuse, and its replacement. */
export interface RefusedValue extends AlteredMember {
  readonly tokens: readonly string[];
  /** The replacement; undefined for a value that is left out. */
  readonly value: JsonValue | undefined;
  /** True if no replacement is possible. */
  readonly fixed: boolean;
}

/**
 * Finds all values in a body that the API returns but does not accept, in the order of the kind's limits.
 * @param now in milliseconds, for limits that depend on the time; without `now`, these limits are not checked
 */
export function findRefusedValues(
  { limits }: Pick<ResourceKind, "limits">,
  body: JsonObject,
  now = Number.NaN,
): RefusedValue[] {
  return limits.flatMap((limit) => {
    const found: RefusedValue[] = [];
    visitValues(body, limit.path, (value, indices) => {
      const replacement = replacementOf(limit, value, body, now);
      if (replacement === undefined) return;
      const tokens = tokensAt(limit.path, indices);
      found.push({ pointer: formatPointer(tokens), tokens, fixed: limit.fixed === true, ...replacement });
    });
    return found;
  });
}

/** Returns the body with each value that a write refuses replaced or left out. A value that cannot be replaced stays as it is. */
export function fitBody(kind: ResourceKind, body: JsonObject, now: number | undefined): JsonObject {
  return kind.limits.reduce((fitted, limit) => {
    const refused = findRefusedValues({ limits: [limit] }, fitted, now).filter(({ fixed }) => !fixed);
    const changed = refused.filter(({ value }) => value !== undefined);
    const leftOut = refused.filter(({ value }) => value === undefined);
    const fittedBody = changed.reduce((copy, { tokens, value }) => withValueAt(copy, tokens, value), fitted);
    // Items are removed from the end, so that the indices of the others stay valid.
    return leftOut.reduceRight((copy, { tokens }) => withoutItem(copy, tokens), fittedBody);
  }, body);
}

type Replacement = Pick<RefusedValue, "value" | "change"> | undefined;

function replacementOf(limit: ValueLimit, value: JsonValue, body: JsonObject, now: number): Replacement {
  if (limit.rule === "fits") {
    const fit = limit.fit(value, body, now);
    return fit && { value: fit.value, change: fit.change };
  }
  if (limit.rule === "range") return typeof value === "number" ? outOfRange(value, limit) : undefined;
  if (limit.rule === "replaced") return limit.replace(value);
  if (limit.rule === "accepted") {
    return limit.accepts(value) ? undefined : { value: undefined, change: `left out: only ${limit.only} are accepted` };
  }
  const { max } = limit;
  if (limit.rule === "items") {
    if (!isJsonArray(value) || value.length <= max) return undefined;
    return { value: value.slice(0, max), change: `the first ${max} of ${value.length} items` };
  }
  if (typeof value !== "string" || value.length <= max) return undefined;
  return { value: cutText(value, max), change: `the first ${max} of ${value.length} characters` };
}

function outOfRange(
  value: number,
  { min, max = Infinity }: { readonly min: number; readonly max?: number },
): Replacement {
  const nearest = Math.min(Math.max(value, min), max);
  return nearest === value ? undefined : { value: nearest, change: `${nearest} instead of ${value}` };
}

/** Cuts a text after `max` UTF-16 units, as the server counts, and never inside a surrogate pair. */
function cutText(text: string, max: number): string {
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
}

function withoutItem(body: JsonObject, tokens: readonly string[]): JsonObject {
  const list = valueAtTokens(body, tokens.slice(0, -1));
  if (!isJsonArray(list)) return withValueAt(body, tokens, undefined);
  const rest = list.filter((_, index) => String(index) !== tokens.at(-1));
  return withValueAt(body, tokens.slice(0, -1), rest);
}
