import { credentialName, wordsOf } from "./credential-name.ts";
import type { NameTest } from "./assigned-spans.ts";
import type { Leaf } from "./leaves.ts";
import { isHarmless } from "./looks-secret.ts";
import { remembered } from "./remembered.ts";

/** Words that are values of settings: `auth: "custom header"`. */
const SETTING = /^[a-z]+(?:[ _-][a-z]+)?$/;

/** A PIN has four digits or more; `{ pass: 12, fail: 3 }` counts something. */
export const LEAST_NUMBER = 1000;

/** The test of names: the ones that everybody has, and a team's own, which are compared by their words. */
export function nameTest(own: readonly string[]): NameTest {
  const added = new Set(own.map((name) => wordsOf(name).join(" ")));
  return remembered(added.size === 0 ? credentialName : (name) => (isAdded(name) ? "strong" : credentialName(name)));
  function isAdded(name: string): boolean {
    return added.has(wordsOf(name).join(" "));
  }
}

/** The rule by which the whole of a leaf is a secret because of the name it stands under; undefined where it is none. */
export function namedSecret({ value, names }: Leaf, named: NameTest): string | undefined {
  const [nearest = "", ...around] = names;
  const strength = named(nearest);
  if (typeof value === "number")
    return strength === "strong" && value >= LEAST_NUMBER ? "credential-number" : undefined;
  if (isHarmless(value)) return undefined;
  if (strength === "strong") return "credential";
  if (strength === "weak") return SETTING.test(value) && value.length <= 20 ? undefined : "credential";
  // Inside of `auth: { … }` or `password: { … }` every text counts, but for what only says which kind it is.
  const inside = around.some((name) => named(name) !== undefined);
  return inside && !isAbout(nearest) && !SETTING.test(value) ? "credential" : undefined;
}

function isAbout(name: string): boolean {
  return /^(?:type|kind|method|scheme|mode|format|enabled|algorithm|version|id|label|title|description|url|host|region)$/i.test(
    name,
  );
}
