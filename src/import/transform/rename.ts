import type { RenameRule } from "../../core/plan/transforms.ts";

/** The name that the first rule that fits gives; the same where none fits. */
export function renamed(name: string, rules: readonly RenameRule[]): string {
  const rule = rules.find(({ from }) => captures(from, name) !== undefined);
  return rule === undefined ? name : applied(rule, name);
}

/**
 * Of a rule that would rename its own names again, as `*` → `[staging] *` would, names of the new form are left alone: files and
 * copies of the target pass here too, and nothing must be renamed twice.
 */
function applied({ from, to }: RenameRule, name: string): string {
  const feedsItself = captures(from, to) !== undefined;
  if (feedsItself && captures(to, name) !== undefined) return name;
  const found = captures(from, name) ?? [];
  return to
    .split("*")
    .map((part, index) => (index === 0 ? part : `${found[index - 1] ?? ""}${part}`))
    .join("");
}

/**
 * What each `*` of a pattern stands for in a text, each as short as can be but the last one; undefined where the text does not
 * fit. Takes steps in proportion to the lengths of both.
 */
function captures(pattern: string, text: string): readonly string[] | undefined {
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
