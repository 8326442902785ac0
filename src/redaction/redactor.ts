import type { JsonObject } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { Candidate, Place } from "./candidates.ts";
import { candidateSearch, idTest, isNaming, placeOf } from "./candidates.ts";
import type { Redacted } from "./declared.ts";
import { redactDeclared } from "./declared.ts";
import { nameTest, namedSecret } from "./values/names.ts";
import { holdsPlaceholder, masked, placeholder, withValues } from "./placeholders.ts";
import type { RedactionPolicy } from "./policy.ts";
import { protectedText } from "./rules/keys.ts";
import type { CleanedText } from "./apply-spans.ts";
import { applySpans } from "./apply-spans.ts";
import type { SecretSpan } from "./spans.ts";
import { textSearch } from "./text-rules.ts";
import { fitsGlob } from "../core/records/record-filter.ts";
import type { RedactionException } from "../core/secrets.ts";

/** A function that redacts the secrets of a record's body and lists them: one entry per rule and pointer. */
export type Redactor = (kind: ResourceKind, body: JsonObject) => Promise<Redacted>;

/** Redacting one secret can reveal another, so the rules run again, at most this many times (two have always been enough). */
const MAX_ROUNDS = 6;
/**
 * Secrets are redacted one by one only in texts of at most MAX_TEXT_LENGTH characters, and only the first MAX_SECRETS of a record:
 * the list of findings takes many times the memory of the text. Other texts are redacted as a whole, if they hold a secret or may
 * hold one. No text of a real dashboard comes near these limits.
 */
const MAX_TEXT_LENGTH = 256 * 1024;
const MAX_SECRETS = 10_000;
/** Once a record has more characters than this to search, texts that may hold a secret are redacted whole. */
const MAX_SEARCHED = 1.25 * 1024 * 1024;

/** A text longer than this that still reveals secrets after `MAX_ROUNDS_OF_LONG_TEXT` rounds is redacted as a whole. */
const MAX_LENGTH_OF_MANY_ROUNDS = 32 * 1024;
const MAX_ROUNDS_OF_LONG_TEXT = 2;

/**
 * A text longer than MAX_TEXT_LENGTH is searched in parts. Two neighbouring parts share OVERLAP characters, so that a secret at
 * the border is whole in one of them: the longest private key in use has 13,000 characters.
 */
const PART_LENGTH = 64 * 1024;
const OVERLAP = 16 * 1024;

/** The number of characters of a record that the rules may still search. */
interface Budget {
  remaining: number;
}

/** A candidate while the layers of the redactor work on it. */
interface SearchedText extends Candidate {
  readonly kind: ResourceKind;
  readonly body: JsonObject;
  place?: Place;
  text: string;
  readonly rules: Set<string>;
}

/**
 * Creates a redactor. It has four layers, each of which works on the output of the layer before: declared paths; member names of
 * credentials; addresses and known forms of secrets in any text; the scanner. Redaction is idempotent.
 */
export function createRedactor(policy: RedactionPolicy = {}): Redactor {
  const { level = "standard", names = [] } = policy;
  const judgeName = nameTest(names);
  const search = textSearch(policy, judgeName);
  const candidatesIn = candidateSearch(judgeName, search.mayHoldSecret);
  const isExcepted = exceptionTest(policy.exceptions ?? []);
  /** Returns the text with NULs in place of the parts that must stay as they are. */
  const cover = (text: string): string => (level === "strict" ? masked(text) : protectedText(masked(text)));
  return (kind, body) => redact(kind, body, MAX_ROUNDS, { remaining: MAX_SEARCHED });

  async function redact(kind: ResourceKind, body: JsonObject, rounds: number, budget: Budget): Promise<Redacted> {
    const declared = redactDeclared(kind, body);
    const isId = idTest(kind);
    const candidates = candidatesIn(declared.body)
      .filter(({ path, value }) => !isId(path, value))
      .map((candidate): SearchedText => ({
        ...candidate,
        kind,
        body: declared.body,
        text: String(candidate.value),
        rules: new Set(),
      }));
    let secrets = 0;
    for (const candidate of candidates) {
      redactByName(candidate);
      if (!candidate.isSuspicious || candidate.rules.size > 0) continue;
      budget.remaining -= candidate.text.length;
      if (budget.remaining < 0) redactWhole(candidate, "long-text");
      else if (secrets > MAX_SECRETS) redactWhole(candidate, "many-secrets");
      else if (candidate.text.length > MAX_TEXT_LENGTH) await redactWholeIfAny(candidate);
      else secrets += await redactText(candidate, budget);
    }
    const changedTexts = candidates.filter(({ rules }) => rules.size > 0);
    if (changedTexts.length === 0) return declared;
    const redactions = changedTexts.flatMap((candidate) =>
      [...candidate.rules].map((rule) => ({ pointer: placeIn(candidate).pointer, rule })),
    );
    const cleanedBody = withValues(declared.body, new Map(changedTexts.map(({ path, text }) => [path, text])));
    // Redaction may have changed a name that describes its neighbours: `{ name: "password …", value: "…" }`.
    const hasNewNames = rounds > 1 && changedTexts.some(({ path }) => isNaming(String(path.at(-1))));
    const nextRound: Redacted = hasNewNames
      ? await redact(kind, cleanedBody, rounds - 1, budget)
      : { body: cleanedBody, redactions: [] };
    return {
      body: nextRound.body,
      redactions: distinct([...declared.redactions, ...redactions, ...nextRound.redactions]),
    };
  }

  function redactByName(candidate: SearchedText): void {
    if (!candidate.isNamed || candidate.text.includes("\0") || holdsPlaceholder(candidate.text)) return;
    const rule = namedSecret(candidate.value, placeIn(candidate).names, judgeName);
    if (rule === undefined) return;
    const { text } = candidate;
    if (text.length > MAX_TEXT_LENGTH) redactWhole(candidate, rule);
    else replaceText(candidate, withoutSpans(candidate, text, text, [{ start: 0, end: text.length, rule }]));
  }

  /** Redacts the secrets in a text, and returns their number. */
  async function redactText(candidate: SearchedText, budget: Budget): Promise<number> {
    let secrets = 0;
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const textBefore = candidate.text;
      const coveredText = cover(textBefore);
      const byRules = search.find(coveredText);
      secrets += replaceText(candidate, withoutSpans(candidate, textBefore, coveredText, byRules));
      const remainingText = candidate.text === textBefore ? coveredText : cover(candidate.text);
      const byScanner = await search.scan(remainingText);
      secrets += replaceText(candidate, withoutSpans(candidate, candidate.text, remainingText, byScanner));
      if (byRules.length + byScanner.length === 0 && round === 1) search.keepClean(textBefore);
      if (candidate.text === textBefore) break;
      // Each round costs as much as the first one.
      budget.remaining -= candidate.text.length;
      if (
        budget.remaining < 0 ||
        (round === MAX_ROUNDS_OF_LONG_TEXT && textBefore.length > MAX_LENGTH_OF_MANY_ROUNDS)
      ) {
        redactWhole(candidate, "long-text");
        break;
      }
    }
    return secrets;
  }

  /** Searches a long text in parts, and redacts the whole text if a part contains a secret. */
  async function redactWholeIfAny(candidate: SearchedText): Promise<void> {
    const { text } = candidate;
    const coveredText = cover(text);
    for (let start = 0; start < text.length; start += PART_LENGTH - OVERLAP) {
      const part = coveredText.slice(start, start + PART_LENGTH);
      const spans = [...search.find(part), ...(await search.scan(part))];
      if (withoutSpans(candidate, text.slice(start, start + PART_LENGTH), part, spans).rules.length > 0) {
        redactWhole(candidate, "long-text");
        return;
      }
    }
  }

  function redactWhole(candidate: SearchedText, rule: string): void {
    if (isExcepted(candidate, rule, candidate.text)) return;
    replaceText(candidate, { text: placeholder(rule), rules: [rule] });
  }

  /** Redacts the spans that are not exempt. @param coveredText the text with NULs for the parts that stay */
  function withoutSpans(
    candidate: SearchedText,
    text: string,
    coveredText: string,
    spans: readonly SecretSpan[],
  ): CleanedText {
    const secrets = spans.filter(({ start, end, rule }) => !isExcepted(candidate, rule, text.slice(start, end)));
    return applySpans(text, coveredText, secrets);
  }
}

/** Returns the place of a candidate. It is built only if a name or a rule makes the text a secret. */
function placeIn(candidate: SearchedText): Place {
  return (candidate.place ??= placeOf(candidate.body, candidate.path));
}

/** Sets a candidate's text to the cleaned text. Returns the number of secrets that the text contained. */
function replaceText(candidate: SearchedText, { text, rules }: CleanedText): number {
  candidate.text = text;
  for (const rule of rules) candidate.rules.add(rule);
  return rules.length;
}

function distinct(redactions: Redacted["redactions"]): Redacted["redactions"] {
  return [...new Map(redactions.map((redaction) => [`${redaction.rule} ${redaction.pointer}`, redaction])).values()];
}

/** Returns a function that tells whether a text of a candidate is exempt from a rule. */
function exceptionTest(exceptions: readonly RedactionException[]) {
  const tests = exceptions.map(({ rule, kind, name, pointer, pattern }) => {
    const path = pointer?.split("/");
    const textPattern = pattern === undefined ? undefined : new RegExp(`^(?:${pattern})$`, "u");
    return (ofKind: ResourceKind, place: Place, byRule: string, text: string): boolean =>
      (rule === undefined || rule === byRule) &&
      (kind === undefined || kind === ofKind.name) &&
      (name === undefined || place.names.includes(name)) &&
      (path === undefined || fitsPointer(path, place.pointer)) &&
      (textPattern === undefined || textPattern.test(text));
  });
  return (candidate: SearchedText, rule: string, text: string): boolean =>
    tests.some((fits) => fits(candidate.kind, placeIn(candidate), rule, text));
}

/** Tells whether a pointer matches a pattern. A `*` stands for any text within one step of the path. */
function fitsPointer(pattern: readonly string[], pointer: string): boolean {
  const steps = pointer.split("/");
  return steps.length === pattern.length && steps.every((step, index) => fitsGlob(pattern[index] ?? "", step, ""));
}
