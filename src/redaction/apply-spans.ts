import { placeholderOfRule } from "./placeholders.ts";
import { matchesOf, spanAt, type SecretSpan } from "./spans.ts";
import { findTemplates, templatesTouching, type TemplateSpan } from "./templates.ts";
import { isPlaceholderValue } from "./values/non-secrets.ts";
import { mayBeSecretPart } from "./values/secret-value.ts";

export interface CleanedText {
  readonly text: string;
  readonly rules: readonly string[];
}

/**
 * Replaces each span with a placeholder. Overlapping spans become one span, with the rule of the span that begins first or, if both
 * begin together, of the longer span. Keeps existing placeholders (NUL in `maskedText`) and templates.
 */
export function applySpans(text: string, maskedText: string, spans: readonly SecretSpan[]): CleanedText {
  if (spans.length === 0) return { text, rules: [] };
  const templates = findTemplates(maskedText);
  const secrets = spans.filter(({ start, end }) => !isBlank(maskedText.slice(start, end)));
  const mergedSpans = mergeSpans(secrets.flatMap((span) => withoutTemplates(span, maskedText, templates))).flatMap(
    (span) => withoutMasked(span, maskedText),
  );
  let cleanedText = "";
  let from = 0;
  for (const { start, end, rule } of mergedSpans) {
    cleanedText += text.slice(from, start) + placeholderOfRule(rule);
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

/** Tells whether a secret is an address whose last part is a stand-in such as `/XXXXXXXX`, as documentation has it. */
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

function withoutMasked({ start, end, rule }: SecretSpan, maskedText: string): SecretSpan[] {
  return matchesOf(maskedText.slice(start, end), /[^\0]+/g).map(({ index, 0: part }) =>
    spanAt(start + index, part, rule),
  );
}
