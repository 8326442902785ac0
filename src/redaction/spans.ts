import { getOrMake } from "../core/collections.ts";
import { placeholder } from "./placeholders.ts";
import { isPlaceholderValue } from "./values/non-secrets.ts";
import { mayBeSecretPart, looksRandom } from "./values/secret-value.ts";

/** A secret in a text: its offsets, and the rule that found it. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

/**
 * Words in lower case, or `LONG_RUN`, which stands for any long run of characters that tokens consist of. Each text in which the rule
 * finds something contains one of them, in upper or lower case.
 */
export interface Precondition {
  readonly words: readonly string[];
}

/** A rule that finds secrets in a text. */
export interface TextRule extends Precondition {
  /** Finds secrets. The function is pure; its spans may overlap. */
  readonly find: (text: string) => readonly SecretSpan[];
}

/** Returns a rule that finds the values in the matches of an expression, as `valueSpans` does. */
export function valueRule(
  words: readonly string[],
  expression: RegExp,
  isSecret: (value: string) => boolean,
): TextRule {
  return { words, find: (text) => valueSpans(text, expression, isSecret) };
}

/** Returns the span of a value that begins at `start`. */
export function spanAt(start: number, value: string, rule = "assigned-secret"): SecretSpan {
  return { start, end: start + value.length, rule };
}

/** A redacted text, and the rules of the redacted spans. */
export interface CleanedText {
  readonly text: string;
  readonly rules: readonly string[];
}

/**
 * Returns the matches of a global expression. The expression itself is run, not a copy as by `matchAll`: a copy may have to be
 * compiled again, which takes longer than the search.
 */
export function matchesOf(text: string, expression: RegExp): RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match; match = expression.exec(text)) {
    matches.push(match);
    // A team's own pattern may match nothing. The search goes on behind the next character, which may have two units.
    if (match[0] === "") expression.lastIndex += (text.codePointAt(match.index) ?? 0) > 0xff_ff ? 2 : 1;
  }
  return matches;
}

/** Returns a span for each match of a global expression that is a secret. */
export function matchSpans(
  text: string,
  expression: RegExp,
  rule: string,
  isSecret: (match: string) => boolean = () => true,
): SecretSpan[] {
  return matchesOf(text, expression).flatMap(({ index, 0: whole }) =>
    isSecret(whole) ? [spanAt(index, whole, rule)] : [],
  );
}

/** Returns a span for each match whose value, the last group that matched, is a secret. */
export function valueSpans(
  text: string,
  expression: RegExp,
  isSecret: (value: string) => boolean,
  trim: (raw: string) => string = (raw) => raw,
): SecretSpan[] {
  if (text.search(expression) < 0) return [];
  return matchesOf(text, withIndices(expression)).flatMap((match): SecretSpan[] => {
    const group = match.findLastIndex((content, index) => index > 0 && content !== undefined);
    const [raw = "", [from] = [0]] = [match[group], match.indices?.[group]];
    const value = trim(raw);
    return isSecret(value) ? [spanAt(from + raw.indexOf(value), value)] : [];
  });
}

const indexedExpressions = new Map<RegExp, RegExp>();

/** Returns the expression with positions of groups: a value may occur twice in a match. */
function withIndices(expression: RegExp): RegExp {
  return getOrMake(indexedExpressions, expression, () => new RegExp(expression, `${expression.flags}d`));
}

/**
 * Replaces each span with a placeholder. Overlapping spans become one span, with the rule of the span that begins first or, if both
 * begin together, of the longer span. Existing placeholders (NUL in `maskedText`) and templates are kept.
 */
export function applySpans(text: string, maskedText: string, spans: readonly SecretSpan[]): CleanedText {
  if (spans.length === 0) return { text, rules: [] };
  const templates = templatesIn(maskedText);
  const secrets = spans.filter(({ start, end }) => !isBlank(maskedText.slice(start, end)));
  const mergedSpans = mergeSpans(secrets.flatMap((span) => withoutTemplates(span, maskedText, templates))).flatMap(
    (span) => withoutMasked(span, maskedText),
  );
  let cleanedText = "";
  let from = 0;
  for (const { start, end, rule } of mergedSpans) {
    cleanedText += text.slice(from, start) + placeholder(rule);
    from = end;
  }
  return { text: cleanedText + text.slice(from), rules: mergedSpans.map(({ rule }) => rule) };
}

function mergeSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const sortedSpans = [...spans].sort((left, right) => left.start - right.start || right.end - left.end);
  const mergedSpans: SecretSpan[] = [];
  for (const span of sortedSpans) {
    const lastSpan = mergedSpans.at(-1);
    if (lastSpan && span.start < lastSpan.end)
      mergedSpans[mergedSpans.length - 1] = { ...lastSpan, end: Math.max(lastSpan.end, span.end) };
    else mergedSpans.push(span);
  }
  return mergedSpans;
}

/** Tells whether a secret is an address whose last part is a stand-in, as in documentation: `/XXXXXXXX`. */
function isBlank(secret: string): boolean {
  return (
    secret.length < 500 &&
    /\/[A-Za-z*.…]{4,}$/.test(secret) &&
    isPlaceholderValue(secret.slice(secret.lastIndexOf("/") + 1))
  );
}

/** Splits a secret at the templates in it, and keeps the parts that could be secrets by themselves. */
function withoutTemplates(span: SecretSpan, maskedText: string, templates: readonly TemplateSpan[]): SecretSpan[] {
  const innerTemplates = templatesTouching(span, templates);
  if (innerTemplates.length === 0) return [span];
  const starts = [span.start, ...innerTemplates.map(({ end }) => Math.max(end, span.start))];
  const ends = [...innerTemplates.map(({ start }) => Math.min(start, span.end)), span.end];
  return starts.flatMap((start, index): SecretSpan[] => {
    const end = ends[index] ?? start;
    return start < end && mayBeSecretPart(maskedText.slice(start, end)) ? [{ start, end, rule: span.rule }] : [];
  });
}

/** Finds the templates in a span by binary search: a text may have as many of them as secrets. */
function templatesTouching(span: SecretSpan, templates: readonly TemplateSpan[]): TemplateSpan[] {
  let [low, high] = [0, templates.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((templates[middle]?.end ?? 0) < span.start) low = middle + 1;
    else high = middle;
  }
  while ((templates[high]?.start ?? Infinity) <= span.end) high += 1;
  return templates.slice(low, high);
}

function withoutMasked({ start, end, rule }: SecretSpan, maskedText: string): SecretSpan[] {
  return matchesOf(maskedText.slice(start, end), /[^\0]+/g).map(({ index, 0: part }) =>
    spanAt(start + index, part, rule),
  );
}

/** A template in a text: its beginning and its end. A template stands for a value that is filled in later, such as `${TOKEN}`. */
export interface TemplateSpan {
  readonly start: number;
  readonly end: number;
}

/** Matches the text between the brackets of a template: a name or a simple expression. */
const NAME = String.raw`[A-Za-z_][\w.:-]{0,80}`;
/** Refuses a letter or digit directly before the template, unless it belongs to a flag (`-p{password}`) or an escape (`\n`). */
const ALONE = String.raw`(?<![A-Za-z\d](?<!\s-[A-Za-z]|\\[nrt]))`;
/** Refuses a letter or digit directly after a match. */
export const NOT_BEFORE_WORD = String.raw`(?![A-Za-z\d])`;
/** Forms that are templates wherever they occur, even inside of a word. */
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
/** Matches HTML elements, which look like templates but are none. Neither are elements that the text closes later (`CLOSING`). */
const ELEMENT =
  /^<(?:a|abbr|b|big|blockquote|body|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|head|hr|html|i|img|ins|kbd|label|li|mark|ol|option|p|pre|q|s|samp|section|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|wbr)[ />]/i;
const CLOSING = /<\/[A-Za-z][\w .:/|-]{0,80}>/g;
/** Matches templates that may contain a value beside the name: `${NAME:-value}`, `{{ x | default("value") }}`. */
const DEFAULT = /:[-=?+].|\bdefault\b|["']/;

/** Finds the templates of a text. They stand for values, so they are no secrets and must stay as they are. */
function templatesIn(text: string): TemplateSpan[] {
  if (!/[{<%[$]/.test(text)) return [];
  const closedElements = new Set((text.match(CLOSING) ?? []).map((tag) => tag.slice(2)));
  return matchesOf(text, TEMPLATE).flatMap(({ index, 0: whole }) =>
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
