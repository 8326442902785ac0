import { matchesOf, NOT_BEFORE_WORD, type SecretSpan } from "./spans.ts";
import { looksRandom } from "./values/secret-value.ts";

/** A template in a text: its beginning and its end. A template stands for a value that is filled in later, such as `${TOKEN}`. */
export type TemplateSpan = Pick<SecretSpan, "start" | "end">;

/** Matches the text between the brackets of a template: a name or a simple expression. */
const NAME = String.raw`[A-Za-z_][\w.:-]{0,80}`;
/** Refuses a letter or digit directly before the template, unless it belongs to a flag (`-p{password}`) or an escape (`\n`). */
const ALONE = String.raw`(?<![A-Za-z\d](?<!\s-[A-Za-z]|\\[nrt]))`;
/** Forms that are templates wherever they occur, even inside a word. */
const ANYWHERE = [
  String.raw`\{\{\{?[^{}\n\0«]{0,200}\}?\}\}`,
  String.raw`\$\{\{?[^{}\n\0«]{0,200}\}?\}`,
  // Grafana's `$__file{/etc/secrets/key}`.
  String.raw`\$__\w{1,20}\{[^{}\n\0«]{0,200}\}`,
  String.raw`#\{[^{}\n\0«]{0,100}\}`,
  String.raw`<%[^%\n\0«]{0,100}%>`,
  String.raw`\{%[^%\n\0«]{0,100}%\}`,
  String.raw`\[\[ ?[\w .:-]{1,80} ?\]\]`,
  String.raw`%\(${NAME}\)[sdr]`,
  String.raw`\$\(${NAME}\)`,
  String.raw`\$env:\w{1,60}`,
];
/** Forms that a password may also contain. They are templates only if no letter or digit stands directly beside them. */
const STANDING_ALONE = [
  String.raw`\{ ?(?:${NAME}|\d{1,2})? ?\}`,
  String.raw`<(?!/)[A-Za-z][\w .:/|-]{0,80}>`,
  String.raw`%[sdvq]`,
  String.raw`%[A-Z_][A-Z\d_]{1,60}%`,
  String.raw`(?<!\$)\$[A-Za-z_]\w{0,60}(?![\w!@#$%^&*+~?])`,
  String.raw`(?<!\$)\$[A-Z][A-Z_]{1,60}[A-Z\d]?(?![\w!@$^*+]|%(?!['"]|3D|26))`,
  String.raw`\$\d`,
].map((form) => ALONE + form + NOT_BEFORE_WORD);
const TEMPLATE = new RegExp([...ANYWHERE, ...STANDING_ALONE].join("|"), "g");
/** Matches templates that may contain a value beside the name: `${NAME:-value}`, `{{ x | default("value") }}`. */
const DEFAULT = /:[-=?+].|\bdefault\b|["']/;

/** Finds the templates of a text. They stand for values, so they are no secrets and must stay as they are. */
export function findTemplates(text: string): TemplateSpan[] {
  if (!/[{<%[$]/.test(text)) return [];
  return matchesOf(text, TEMPLATE).flatMap(({ index, 0: whole }) =>
    isTemplate(whole) ? [{ start: index, end: index + whole.length }] : [],
  );
}

function isTemplate(template: string): boolean {
  const parts = template.split(/[^\w+/=~-]+/);
  if (parts.some((part) => part.length >= 20 && looksRandom(part))) return false;
  return !DEFAULT.test(template) || !parts.some((part) => /[A-Za-z]/.test(part) && /\d/.test(part) && part.length >= 6);
}

/** Finds the templates in a span by binary search, because a text may have as many templates as secrets. */
export function templatesTouching(span: SecretSpan, templates: readonly TemplateSpan[]): TemplateSpan[] {
  let [low, high] = [0, templates.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((templates[middle]?.end ?? 0) < span.start) low = middle + 1;
    else high = middle;
  }
  while ((templates[high]?.start ?? Infinity) <= span.end) high += 1;
  return templates.slice(low, high);
}
