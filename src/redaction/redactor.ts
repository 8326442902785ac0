import type { JsonObject } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { candidateSearch, idTest, isNaming } from "./candidates.ts";
import type { Redacted } from "./declared.ts";
import { redactDeclared } from "./declared.ts";
import { exceptionTest } from "./exceptions.ts";
import { masked, withValues } from "./placeholders.ts";
import type { RedactionPolicy } from "./policy.ts";
import type { SearchedText } from "./redact-text.ts";
import { MAX_ROUNDS, placeIn, redactByName, redactContent } from "./redact-text.ts";
import { protectedText } from "./rules/keys.ts";
import { textSearch } from "./text-rules.ts";
import { nameTest } from "./values/names.ts";

/** A function that redacts the secrets of a record's body and lists them: one entry per rule and pointer. */
export type Redactor = (kind: ResourceKind, body: JsonObject) => Promise<Redacted>;

/** Once a record has more characters than this to search, texts that may hold a secret are redacted whole. */
const MAX_SEARCHED = 1.25 * 1024 * 1024;
/** Once this many secrets of a record were redacted one by one, texts that may hold another are redacted whole. */
const MAX_SECRETS = 10_000;

/**
 * Creates a redactor. It has four layers, each of which works on the output of the layer before: declared paths; member names of
 * credentials; addresses and known forms of secrets in any text; the scanner. Redaction is idempotent.
 */
export function createRedactor(policy: RedactionPolicy = {}): Redactor {
  const { level = "standard", names = [], exceptions = [] } = policy;
  const judgeName = nameTest(names);
  const search = textSearch(policy, judgeName);
  const candidatesIn = candidateSearch(judgeName, search.mayHoldSecret);
  const cover = (text: string): string => (level === "strict" ? masked(text) : protectedText(masked(text)));
  const detector = { judgeName, search, cover, isExcepted: exceptionTest(exceptions) };

  /** @param characters the number of characters of the record that the rules may still search */
  async function redact(kind: ResourceKind, body: JsonObject, rounds: number, characters: number): Promise<Redacted> {
    const declared = redactDeclared(kind, body);
    const isId = idTest(kind);
    const texts = candidatesIn(declared.body)
      .filter(({ path, value }) => !isId(path, value))
      .map((candidate): SearchedText => ({
        ...candidate,
        kind,
        body: declared.body,
        text: String(candidate.value),
        rules: new Set(),
      }));
    const budget = { characters, secrets: MAX_SECRETS };
    for (const text of texts) {
      redactByName(text, detector);
      if (text.isSuspicious && text.rules.size === 0) await redactContent(text, detector, budget);
    }
    const changedTexts = texts.filter(({ rules }) => rules.size > 0);
    if (changedTexts.length === 0) return declared;
    const redacted = withTexts(declared, changedTexts);
    // Redaction may have changed a name that describes its neighbours: `{ name: "password …", value: "…" }`.
    const hasNewNames = rounds > 1 && changedTexts.some(({ path }) => isNaming(String(path.at(-1))));
    if (!hasNewNames) return redacted;
    const nextRound = await redact(kind, redacted.body, rounds - 1, budget.characters);
    return { body: nextRound.body, redactions: distinct([...redacted.redactions, ...nextRound.redactions]) };
  }

  return (kind, body) => redact(kind, body, MAX_ROUNDS, MAX_SEARCHED);
}

/** Returns the body with the redacted texts, and lists their redactions after the others. */
function withTexts({ body, redactions }: Redacted, texts: readonly SearchedText[]): Redacted {
  const ofTexts = texts.flatMap((text) => [...text.rules].map((rule) => ({ pointer: placeIn(text).pointer, rule })));
  return {
    body: withValues(body, new Map(texts.map(({ path, text }) => [path, text]))),
    redactions: distinct([...redactions, ...ofTexts]),
  };
}

function distinct(redactions: Redacted["redactions"]): Redacted["redactions"] {
  return [...new Map(redactions.map((redaction) => [`${redaction.rule} ${redaction.pointer}`, redaction])).values()];
}
