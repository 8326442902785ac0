import type { JsonObject } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { applySpans, type CleanedText } from "./apply-spans.ts";
import { describePlace, type SecretCandidate, type NamedPlace } from "./candidates.ts";
import type { ExceptionTest } from "./exceptions.ts";
import { holdsPlaceholder, placeholderOfRule } from "./placeholders.ts";
import type { SecretSpan } from "./spans.ts";
import type { TextSearch } from "./text-rules.ts";
import { secretRuleOfNames, type NameTest } from "./values/names.ts";

/** A candidate while its secrets are redacted. */
export interface SearchedText extends SecretCandidate {
  readonly kind: ResourceKind;
  readonly body: JsonObject;
  place?: NamedPlace;
  text: string;
  /** The rules by which secrets of the text were redacted. */
  readonly rules: Set<string>;
}

/** The functions by which a policy recognises secrets. */
export interface SecretDetector {
  readonly judgeName: NameTest;
  readonly search: TextSearch;
  readonly isExcepted: ExceptionTest;
  /** Returns the text with NULs in place of the parts that must stay as they are. */
  readonly maskProtected: (text: string) => string;
}

/** The number of characters of a record that may still be searched, and of secrets that may still be redacted one by one. */
export interface RedactionBudget {
  characters: number;
  secrets: number;
}

/** Redacting one secret can reveal another, so the rules run again, at most this many times (two have always been enough). */
export const MAX_ROUNDS = 6;
/**
 * Secrets are redacted one by one only in texts of at most this many characters, because the list of findings takes many times the
 * memory of the text. A longer text is redacted as a whole if it contains a secret. No text of a real dashboard comes near this
 * limit.
 */
const MAX_TEXT_LENGTH = 256 * 1024;

/** A text longer than this that still reveals secrets after `MAX_ROUNDS_OF_LONG_TEXT` rounds is redacted as a whole. */
const MAX_LENGTH_OF_MANY_ROUNDS = 32 * 1024;
const MAX_ROUNDS_OF_LONG_TEXT = 2;

/**
 * A text longer than MAX_TEXT_LENGTH is searched in parts. Two neighbouring parts share OVERLAP characters, so that a secret at
 * the border is whole in one of them: the longest private key in use has 13,000 characters.
 */
const PART_LENGTH = 64 * 1024;
const OVERLAP = 16 * 1024;

/** Redacts the whole text if the names around it make it a secret. */
export function redactByName(searched: SearchedText, detector: SecretDetector): void {
  const { text } = searched;
  if (!searched.isNamed || text.includes("\0") || holdsPlaceholder(text)) return;
  const rule = secretRuleOfNames(searched.value, placeOfText(searched).names, detector.judgeName);
  if (rule === undefined) return;
  if (text.length > MAX_TEXT_LENGTH) redactWhole(searched, rule, detector);
  else redactSpans(searched, text, [{ start: 0, end: text.length, rule }], detector);
}

/** Redacts the secrets in a text one by one. Once the budget of its record is spent, the whole text is redacted. */
export async function redactContent(
  searched: SearchedText,
  detector: SecretDetector,
  budget: RedactionBudget,
): Promise<void> {
  budget.characters -= searched.text.length;
  if (budget.characters < 0) redactWhole(searched, "long-text", detector);
  else if (budget.secrets < 0) redactWhole(searched, "many-secrets", detector);
  else if (searched.text.length > MAX_TEXT_LENGTH) await redactWholeIfAny(searched, detector);
  else await redactSecrets(searched, detector, budget);
}

async function redactSecrets(searched: SearchedText, detector: SecretDetector, budget: RedactionBudget): Promise<void> {
  const { search, maskProtected } = detector;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const textBefore = searched.text;
    const coveredText = maskProtected(textBefore);
    const byRules = search.find(coveredText);
    budget.secrets -= redactSpans(searched, coveredText, byRules, detector);
    const remainingText = searched.text === textBefore ? coveredText : maskProtected(searched.text);
    const byScanner = await search.scan(remainingText);
    budget.secrets -= redactSpans(searched, remainingText, byScanner, detector);
    if (byRules.length + byScanner.length === 0 && round === 1) search.rememberClean(textBefore);
    if (searched.text === textBefore) return;
    // Each round costs as much as the first.
    budget.characters -= searched.text.length;
    const isLastRound = round === MAX_ROUNDS_OF_LONG_TEXT && textBefore.length > MAX_LENGTH_OF_MANY_ROUNDS;
    if (isLastRound || budget.characters < 0) {
      redactWhole(searched, "long-text", detector);
      return;
    }
  }
}

/** Searches a long text in parts, and redacts the whole text if a part contains a secret. */
async function redactWholeIfAny(searched: SearchedText, detector: SecretDetector): Promise<void> {
  const { text } = searched;
  const coveredText = detector.maskProtected(text);
  for (let start = 0; start < text.length; start += PART_LENGTH - OVERLAP) {
    const coveredPart = coveredText.slice(start, start + PART_LENGTH);
    const spans = [...detector.search.find(coveredPart), ...(await detector.search.scan(coveredPart))];
    const part = text.slice(start, start + PART_LENGTH);
    if (applySpans(part, coveredPart, withoutExcepted(spans, searched, part, detector)).rules.length > 0) {
      redactWhole(searched, "long-text", detector);
      return;
    }
  }
}

function redactWhole(searched: SearchedText, rule: string, { isExcepted }: SecretDetector): void {
  if (isExcepted(searched.kind, () => placeOfText(searched), rule, searched.text)) return;
  replaceText(searched, { text: placeholderOfRule(rule), rules: [rule] });
}

/**
 * Redacts the spans that are not exempt, and returns the number of secrets.
 * @param coveredText the text with NULs in place of the parts that stay
 */
function redactSpans(
  searched: SearchedText,
  coveredText: string,
  spans: readonly SecretSpan[],
  detector: SecretDetector,
): number {
  const secrets = withoutExcepted(spans, searched, searched.text, detector);
  return replaceText(searched, applySpans(searched.text, coveredText, secrets));
}

function withoutExcepted(
  spans: readonly SecretSpan[],
  searched: SearchedText,
  text: string,
  { isExcepted }: SecretDetector,
): SecretSpan[] {
  const { kind } = searched;
  return spans.filter(
    ({ start, end, rule }) => !isExcepted(kind, () => placeOfText(searched), rule, text.slice(start, end)),
  );
}

/** Returns the place of a text. The place is built only if a name or a rule makes the text a secret. */
export function placeOfText(searched: SearchedText): NamedPlace {
  return (searched.place ??= describePlace(searched.body, searched.path));
}

function replaceText(searched: SearchedText, { text, rules }: CleanedText): number {
  searched.text = text;
  for (const rule of rules) searched.rules.add(rule);
  return rules.length;
}
