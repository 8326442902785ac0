import { looksRandom } from "./secret-value.ts";

/** The beginning and end of a template in a text. */
export interface TemplateSpan {
  readonly start: number;
  readonly end: number;
}

/** The text between the brackets of a template: a name or a simple expression. */
const NAME = String.raw`[A-Za-z_][\w.:-]{0,80}`;
/** Requires that nothing stands before the template, except the letter of a flag (`-p{password}`) or of an escaped line end. */
const ALONE = String.raw`(?<![A-Za-z\d](?<!\s-[A-Za-z]|\\[nrt]))`;
const NOT_ON = String.raw`(?![A-Za-z\d])`;
/** Forms that are always templates, even inside of other text. */
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
/** Forms that a password may contain. They are templates only if no letter or digit stands beside them. */
const STANDING_ALONE = [
  String.raw`\{ ?(?:${NAME}|\d{1,2})? ?\}`,
  String.raw`<(?!/)[A-Za-z][\w .:/|-]{0,80}>`,
  String.raw`%[sdvq]`,
  String.raw`%[A-Z_][A-Z\d_]{1,60}%`,
  String.raw`(?<!\$)\$[A-Za-z_]\w{0,60}(?![\w!@#$%^&*+~?])`,
  String.raw`(?<!\$)\$[A-Z][A-Z_]{1,60}[A-Z\d]?(?![\w!@$^*+]|%(?!['"]|3D|26))`,
  String.raw`\$\d`,
].map((form) => ALONE + form + NOT_ON);
const TEMPLATE = new RegExp([...ANYWHERE, ...STANDING_ALONE].join("|"), "g");
/** HTML elements are not templates, nor are elements that the text closes later. */
const ELEMENT =
  /^<(?:a|abbr|b|big|blockquote|body|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|head|hr|html|i|img|ins|kbd|label|li|mark|ol|option|p|pre|q|s|samp|section|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|wbr)[ />]/i;
const CLOSING = /<\/[A-Za-z][\w .:/|-]{0,80}>/g;
/** `${NAME:-value}` and `{{ x | default("value") }}` contain a value beside the name. */
const DEFAULT = /:[-=?+].|\bdefault\b|["']/;

/** The templates of a text. They stand for values, so they are no secrets and must stay as they are. */
export function templatesIn(text: string): TemplateSpan[] {
  if (!/[{<%[$]/.test(text)) return [];
  const closedElements = new Set((text.match(CLOSING) ?? []).map((tag) => tag.slice(2)));
  return [...text.matchAll(TEMPLATE)].flatMap(({ index, 0: whole }) =>
    isTemplate(whole, closedElements) ? [{ start: index, end: index + whole.length }] : [],
  );
}

/** @param closedElements the names of the elements that the text closes, each with its last bracket */
function isTemplate(template: string, closedElements: ReadonlySet<string>): boolean {
  if (template.startsWith("<") && (ELEMENT.test(template) || closedElements.has(template.slice(1)))) return false;
  const parts = template.split(/[^\w+/=~-]+/);
  if (parts.some((part) => part.length >= 20 && looksRandom(part))) return false;
  return !DEFAULT.test(template) || !parts.some((part) => /[A-Za-z]/.test(part) && /\d/.test(part) && part.length >= 6);
}
