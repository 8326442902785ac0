import type { JsonObject } from "../core/json.ts";
import { matchesGlob } from "../core/records/record-filter.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { RedactionException } from "../core/secrets.ts";
import { applySpans, type CleanedText } from "./apply-spans.ts";
import { describePlace, type SecretCandidate, type NamedPlace } from "./candidates.ts";
import { holdsPlaceholder, maskPlaceholders, placeholderOfRule } from "./placeholders.ts";
import { maskProtectedTexts } from "./rules/keys.ts";
import type { SecretSpan } from "./spans.ts";
import type { TextSearch } from "./text-rules.ts";
import { secretRuleOfNames, type NameTest } from "./values/names.ts";

export interface SearchedText extends SecretCandidate {
  readonly kind: ResourceKind;
  readonly body: JsonObject;
  place?: NamedPlace;
  text: string;
  readonly rules: Set<string>;
}

export interface SecretDetector {
  readonly judgeName: NameTest;
  readonly search: TextSearch;
  readonly isExcepted: ExceptionTest;
}

/** The number of characters of a record that may still be searched. */
export interface RedactionBudget {
  characters: number;
}

/** Redacting one secret can reveal another, so the rules run again, at most this many times (two have always been enough). */
export const MAX_ROUNDS = 6;
/** Maximum length of a text that is searched. Texts of dashboards are far shorter. */
const MAX_TEXT_LENGTH = 256 * 1024;

/** Redacts the whole text if the names around it make it a secret. */
export function redactByName(searched: SearchedText, detector: SecretDetector): void {
  const { text } = searched;
  if (!searched.isNamed || text.includes("\0") || holdsPlaceholder(text)) return;
  const rule = secretRuleOfNames(searched.value, placeOfText(searched).names, detector.judgeName);
  if (rule !== undefined) redactSpans(searched, text, [{ start: 0, end: text.length, rule }], detector);
}

/** Redacts the secrets in a text one by one; redacts the whole text if it is very long, or if its record's budget is spent. */
export async function redactContent(
  searched: SearchedText,
  detector: SecretDetector,
  budget: RedactionBudget,
): Promise<void> {
  const { search } = detector;
  const isTooLong = searched.text.length > MAX_TEXT_LENGTH;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const textBefore = searched.text;
    budget.characters -= textBefore.length;
    if (isTooLong || budget.characters < 0) {
      redactWhole(searched, "long-text", detector);
      return;
    }
    const coveredText = maskProtectedTexts(maskPlaceholders(textBefore));
    const spans = await search.find(coveredText);
    if (spans.length === 0 && round === 1) search.rememberClean(textBefore);
    redactSpans(searched, coveredText, spans, detector);
    if (searched.text === textBefore) return;
  }
}

function redactWhole(searched: SearchedText, rule: string, { isExcepted }: SecretDetector): void {
  if (isExcepted(searched.kind, () => placeOfText(searched), rule, searched.text)) return;
  replaceText(searched, { text: placeholderOfRule(rule), rules: [rule] });
}

/**
 * Redacts the spans that are not exempt.
 * @param coveredText the text with NULs in place of the parts that stay
 */
function redactSpans(
  searched: SearchedText,
  coveredText: string,
  spans: readonly SecretSpan[],
  { isExcepted }: SecretDetector,
): void {
  const { kind, text } = searched;
  const secrets = spans.filter(
    ({ start, end, rule }) => !isExcepted(kind, () => placeOfText(searched), rule, text.slice(start, end)),
  );
  replaceText(searched, applySpans(text, coveredText, secrets));
}

/** Returns the place of a text. The place is built only if a name or a rule makes the text a secret. */
export function placeOfText(searched: SearchedText): NamedPlace {
  return (searched.place ??= describePlace(searched.body, searched.path));
}

function replaceText(searched: SearchedText, { text, rules }: CleanedText): void {
  searched.text = text;
  for (const rule of rules) searched.rules.add(rule);
}

/** Tells whether a text at a place of a record is exempt from a rule. Asks for the place only if there are exceptions. */
export type ExceptionTest = (kind: ResourceKind, placeOfText: () => NamedPlace, rule: string, text: string) => boolean;

export function createExceptionTest(exceptions: readonly RedactionException[]): ExceptionTest {
  const tests = exceptions.map(({ rule, kind, name, pointer, pattern }) => {
    const path = pointer?.split("/");
    const textPattern = pattern === undefined ? undefined : new RegExp(`^(?:${pattern})$`, "u");
    return (ofKind: ResourceKind, place: NamedPlace, byRule: string, text: string): boolean =>
      (rule === undefined || rule === byRule) &&
      (kind === undefined || kind === ofKind.name) &&
      (name === undefined || place.names.includes(name)) &&
      (path === undefined || fitsPointer(path, place.pointer)) &&
      (textPattern === undefined || textPattern.test(text));
  });
  return (kind, placeOfText, rule, text) => tests.some((fits) => fits(kind, placeOfText(), rule, text));
}

/** Tells whether a pointer matches a pattern. A `*` stands for any text within one step of the path. */
function fitsPointer(pattern: readonly string[], pointer: string): boolean {
  const steps = pointer.split("/");
  return steps.length === pattern.length && steps.every((step, index) => matchesGlob(pattern[index] ?? "", step, ""));
}
