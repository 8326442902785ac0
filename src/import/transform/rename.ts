import type { RenameRule } from "../../core/plan/transforms.ts";

/** Applies the first rule that matches; returns the name unchanged if none does. */
export function applyRenames(name: string, rules: readonly RenameRule[]): string {
  const rule = rules.find(({ from }) => captureStars(from, name) !== undefined);
  return rule === undefined ? name : applyRule(rule, name);
}

/**
 * Applies a rule to a name. A rule whose output matches its own pattern (`*` → `[staging] *`) is not applied to names that already
 * have the new form: files and copies of the target pass here too, and no name must be changed twice.
 */
function applyRule({ from, to }: RenameRule, name: string): string {
  const feedsItself = captureStars(from, to) !== undefined;
  if (feedsItself && captureStars(to, name) !== undefined) return name;
  const found = captureStars(from, name) ?? [];
  return to
    .split("*")
    .map((part, index) => (index === 0 ? part : `${found[index - 1] ?? ""}${part}`))
    .join("");
}

/**
 * Returns the texts that the `*`s of a pattern match, each as short as possible but the last; undefined if the text does not match.
 * Takes time in proportion to both lengths.
 */
function captureStars(pattern: string, text: string): readonly string[] | undefined {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === pattern ? [] : undefined;
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return undefined;
  const found: string[] = [];
  let at = first.length;
  for (const part of others) {
    const next = text.indexOf(part, at);
    if (next < 0 || next + part.length > end) return undefined;
    found.push(text.slice(at, next));
    at = next + part.length;
  }
  return [...found, text.slice(at, end)];
}
