import type { JsonObject } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { Candidate, Place } from "./candidates.ts";
import { candidateSearch, idTest, isNaming, placeOf } from "./candidates.ts";
import type { Redacted } from "./declared.ts";
import { redactDeclared } from "./declared.ts";
import { nameTest, namedSecret } from "./values/names.ts";
import { holdsPlaceholder, masked, placeholder } from "./placeholders.ts";
import type { RedactionPolicy } from "./policy.ts";
import { withValues } from "./replace-values.ts";
import { openParts, protectedParts, protectedText } from "./rules/keys.ts";
import type { CleanedText, SecretSpan } from "./spans.ts";
import { applySpans } from "./spans.ts";
import { partsOf, textSearch } from "./text-rules.ts";
import { fitsGlob } from "../core/records/record-filter.ts";
import type { RedactionException } from "../core/redaction-rules.ts";

/** Redacts the secrets of a record's body and lists them: one entry per rule and pointer. */
export type Redactor = (kind: ResourceKind, body: JsonObject) => Promise<Redacted>;

/** Redacting one secret can reveal another, so the rules run again, at most this many times (two have always been enough). */
const MAX_ROUNDS = 6;
/**
 * The list of findings takes many times the memory of the text. In a text longer than MAX_TEXT_LENGTH secrets are therefore not
 * redacted one by one, nor are more than MAX_SECRETS of a record. No text that people write for a dashboard comes near these
 * limits.
 */
const MAX_TEXT_LENGTH = 256 * 1024;
const MAX_SECRETS = 10_000;
/** Characters that the rules search per record. Every further text that may hold a secret is redacted as a whole. */
const MAX_SEARCHED = 1.25 * 1024 * 1024;

/**
 * A text longer than SEARCHED_AGAIN that still reveals secrets after LONG_ROUNDS rounds is redacted as a whole: each round searches
 * all of it.
 */
const SEARCHED_AGAIN = 32 * 1024;
const LONG_ROUNDS = 2;

/** The number of characters of a record that the rules may still search. */
interface Budget {
  left: number;
}

/** A candidate while it passes through the layers. */
interface Draft extends Candidate {
  readonly kind: ResourceKind;
  readonly place: Place;
  text: string;
  readonly rules: Set<string>;
}

/**
 * Makes a redactor. Its layers, each working on the output of the one before: declared paths, member names of credentials,
 * addresses and known forms of secrets in any text, the scanner. Redaction is idempotent.
 */
export function createRedactor(policy: RedactionPolicy = {}): Redactor {
  const { level = "standard", names = [] } = policy;
  const named = nameTest(names);
  const search = textSearch(policy, named);
  const candidatesIn = candidateSearch(named, search.mayHoldSecret);
  const isExcepted = exceptionTest(policy.exceptions ?? []);
  const coverProtected = level === "strict" ? (text: string): string => text : protectedText;
  const coverParts = level === "strict" ? openParts : protectedParts;
  /** The text with NULs in place of everything that must stay as it is. */
  const cover = (text: string): string => coverProtected(masked(text));
  return (kind, body) => redact(kind, body, MAX_ROUNDS, { left: MAX_SEARCHED });

  async function redact(kind: ResourceKind, body: JsonObject, rounds: number, budget: Budget): Promise<Redacted> {
    const declared = redactDeclared(kind, body);
    const isId = idTest(kind);
    const drafts = candidatesIn(declared.body)
      .filter(({ path, value }) => !isId(path, value))
      .map((candidate): Draft => {
        const place = placeOf(declared.body, candidate.path);
        return { ...candidate, kind, place, text: String(candidate.value), rules: new Set() };
      });
    let secrets = 0;
    for (const draft of drafts) {
      takeNamed(draft);
      if (!draft.marked || draft.rules.size > 0) continue;
      budget.left -= draft.text.length;
      if (budget.left < 0) takeWhole(draft, "long-text");
      else if (secrets > MAX_SECRETS) takeWhole(draft, "many-secrets");
      else if (draft.text.length > MAX_TEXT_LENGTH) await takeIfAny(draft);
      else secrets += await takeFromText(draft, budget);
    }
    const changed = drafts.filter(({ rules }) => rules.size > 0);
    if (changed.length === 0) return declared;
    const listed = changed.flatMap(({ place: { pointer }, rules }) => [...rules].map((rule) => ({ pointer, rule })));
    const left = withValues(declared.body, new Map(changed.map(({ path, text }) => [path, text])));
    // A name that was redacted may describe its neighbours differently: `{ name: "password …", value: "…" }`.
    const renamed = rounds > 1 && changed.some(({ path }) => isNaming(String(path.at(-1))));
    const again: Redacted = renamed ? await redact(kind, left, rounds - 1, budget) : { body: left, redactions: [] };
    return { body: again.body, redactions: distinct([...declared.redactions, ...listed, ...again.redactions]) };
  }

  function takeNamed(draft: Draft): void {
    if (draft.text.includes("\0") || holdsPlaceholder(draft.text)) return;
    const rule = namedSecret(draft.value, draft.place.names, named);
    if (rule === undefined) return;
    if (draft.text.length > MAX_TEXT_LENGTH) takeWhole(draft, rule);
    else take(draft, cleanedOf(draft, draft.text, draft.text, [{ start: 0, end: draft.text.length, rule }]));
  }

  /** Returns the number of secrets found. */
  async function takeFromText(draft: Draft, budget: Budget): Promise<number> {
    let secrets = 0;
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const before = draft.text;
      const covered = cover(before);
      secrets += take(draft, cleanedOf(draft, before, covered, search.find(covered)));
      const left = cover(draft.text);
      secrets += take(draft, cleanedOf(draft, draft.text, left, await search.scan(left)));
      if (draft.text === before) break;
      // Each further round costs as much as the first.
      budget.left -= draft.text.length;
      if (budget.left < 0 || (round === LONG_ROUNDS && before.length > SEARCHED_AGAIN)) {
        takeWhole(draft, "long-text");
        break;
      }
    }
    return secrets;
  }

  /** Searches a long text in parts, and redacts it as a whole if one of them contains a secret. */
  async function takeIfAny(draft: Draft): Promise<void> {
    const { text } = draft;
    for (const { start, end, covered } of coverParts(text, partsOf(text))) {
      const part = masked(covered);
      const spans = [...search.find(part), ...(await search.scan(part))];
      if (cleanedOf(draft, text.slice(start, end), part, spans).rules.length > 0) {
        takeWhole(draft, "long-text");
        return;
      }
    }
  }

  function takeWhole(draft: Draft, rule: string): void {
    if (isExcepted(draft.kind, draft.place, rule, draft.text)) return;
    take(draft, { text: placeholder(rule), rules: [rule] });
  }

  /**
   * The text without its spans, except those that the policy exempts. @param covered the text with NULs in place of what must stay
   */
  function cleanedOf(draft: Draft, text: string, covered: string, spans: readonly SecretSpan[]): CleanedText {
    const taken = spans.filter(
      ({ start, end, rule }) => !isExcepted(draft.kind, draft.place, rule, text.slice(start, end)),
    );
    return applySpans(text, covered, taken);
  }
}

function take(draft: Draft, { text, rules }: CleanedText): number {
  draft.text = text;
  for (const rule of rules) draft.rules.add(rule);
  return rules.length;
}

function distinct(redactions: Redacted["redactions"]): Redacted["redactions"] {
  return [...new Map(redactions.map((each) => [`${each.rule} ${each.pointer}`, each])).values()];
}

/** Tells whether a text is exempt from a rule. */
export type ExceptionTest = (kind: ResourceKind, place: Place, rule: string, text: string) => boolean;

function exceptionTest(exceptions: readonly RedactionException[]): ExceptionTest {
  const tests = exceptions.map(({ rule, kind, name, pointer, pattern }) => {
    const path = pointer?.split("/");
    const whole = pattern === undefined ? undefined : new RegExp(`^(?:${pattern})$`, "u");
    return (ofKind: ResourceKind, place: Place, byRule: string, text: string): boolean =>
      (rule === undefined || rule === byRule) &&
      (kind === undefined || kind === ofKind.name) &&
      (name === undefined || place.names.includes(name)) &&
      (path === undefined || fitsPointer(path, place.pointer)) &&
      (whole === undefined || whole.test(text));
  });
  return (...found) => tests.some((fits) => fits(...found));
}

/** Matches a pointer against a pattern. A `*` stands for any text within one step of the path. */
function fitsPointer(pattern: readonly string[], pointer: string): boolean {
  const steps = pointer.split("/");
  return steps.length === pattern.length && steps.every((step, index) => fitsGlob(pattern[index] ?? "", step, ""));
}
