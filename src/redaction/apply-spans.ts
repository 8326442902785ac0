import { placeholderOfRule } from "./placeholders.ts";
import { matchesOf, NOT_BEFORE_WORD, type SecretSpan, spanAt } from "./spans.ts";
import { isPlaceholderValue } from "./values/non-secrets.ts";
import { looksRandom, mayBeSecretPart } from "./values/secret-value.ts";

export interface CleanedText {
  readonly text: string;
  readonly rules: readonly string[];
}

export function applySpans(text: string, maskedText: string, spans: readonly SecretSpan[]): CleanedText {
  if (spans.length === 0) return { text, rules: [] };
  const secrets = spans.filter(({ start, end }) => !isBlank(maskedText.slice(start, end)));
  const coveredText = maskTemplates(maskedText);
  const mergedSpans = mergeSpans(secrets).flatMap((span) => secretParts(span, coveredText));
  let cleanedText = "";
  let from = 0;
  for (const { start, end, rule } of mergedSpans) {
    cleanedText += text.slice(from, start) + placeholderOfRule(rule);
    from = end;
  }
  return { text: cleanedText + text.slice(from), rules: mergedSpans.map(({ rule }) => rule) };
}

/** A merged span has the rule of the span that begins first. */
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

/** Matches a text that ends with a stand-in of documentation, such as `/XXXXXXXX`. */
function isBlank(secret: string): boolean {
  return (
    secret.length < 500 &&
    /\/[A-Za-z*.…]{4,}$/.test(secret) &&
    isPlaceholderValue(secret.slice(secret.lastIndexOf("/") + 1))
  );
}

/** Stands for a character of a template; people do not type this noncharacter. */
const MARK = "\uFFFE";

/** Beside a template, only the parts that look like secrets are secrets. */
function secretParts({ start, end, rule }: SecretSpan, coveredText: string): SecretSpan[] {
  const isBesideTemplate = coveredText.slice(Math.max(0, start - 1), end + 1).includes(MARK);
  return matchesOf(coveredText.slice(start, end), /[^\0\uFFFE]+/g).flatMap(({ index, 0: part }) =>
    !isBesideTemplate || mayBeSecretPart(part) ? [spanAt(start + index, part, rule)] : [],
  );
}

const NAME = String.raw`[A-Za-z_][\w.:-]{0,80}`;
/** No letter or digit stands before the template, except in a flag (`-p{password}`) or an escape (`\n`). */
const ALONE = String.raw`(?<![A-Za-z\d](?<!\s-[A-Za-z]|\\[nrt]))`;
const ANYWHERE = [
  String.raw`\{\{\{?[^{}\n\0«]{0,200}\}?\}\}`,
  String.raw`\$\{\{?[^{}\n\0«]{0,200}\}?\}`,
  // References of Grafana.
  String.raw`\$__\w{1,20}\{[^{}\n\0«]{0,200}\}`,
  String.raw`#\{[^{}\n\0«]{0,100}\}`,
  String.raw`<%[^%\n\0«]{0,100}%>`,
  String.raw`\{%[^%\n\0«]{0,100}%\}`,
  String.raw`\[\[ ?[\w .:-]{1,80} ?\]\]`,
  String.raw`%\(${NAME}\)[sdr]`,
  String.raw`\$\(${NAME}\)`,
  String.raw`\$env:\w{1,60}`,
];
/** A password can contain these forms, so `ALONE` and `NOT_BEFORE_WORD` restrict them. */
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
const DEFAULT = /:[-=?+].|\bdefault\b|["']/;

/** `${TOKEN}` only stands for a secret; `${TOKEN:-value}` may contain one. */
function maskTemplates(text: string): string {
  if (!/[{<%[$]/.test(text)) return text;
  return text.replaceAll(TEMPLATE, (whole) => (isTemplate(whole) ? MARK.repeat(whole.length) : whole));
}

function isTemplate(template: string): boolean {
  const parts = template.split(/[^\w+/=~-]+/);
  if (parts.some((part) => part.length >= 20 && looksRandom(part))) return false;
  return !DEFAULT.test(template) || !parts.some((part) => /[A-Za-z]/.test(part) && /\d/.test(part) && part.length >= 6);
}
