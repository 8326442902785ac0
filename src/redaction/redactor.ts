import type { JsonObject, JsonValue } from "../core/json.ts";
import type { ResourceKind, SecretPath } from "../core/resource-kind.ts";
import { createCandidateSearch, idTestForKind, mayDescribeNeighbours } from "./candidates.ts";
import { placeholderOfRule, setValues } from "./placeholders.ts";
import { createTextSearch, type RedactionPolicy } from "./text-rules.ts";
import {
  createExceptionTest,
  MAX_ROUNDS,
  placeOfText,
  redactByName,
  redactContent,
  type RedactionBudget,
  type SearchedText,
} from "./redact-text.ts";
import { createNameTest } from "./values/names.ts";
import { formatPointer, placesAt, withValueAt } from "../core/records/member-path.ts";

/** A function that redacts the secrets of a record's body and lists them: one entry per rule and pointer. */
export type Redactor = (kind: ResourceKind, body: JsonObject) => Promise<RedactedBody>;

/**
 * Maximum number of a record's characters that are searched. Beyond it, texts that may contain a secret are redacted as a whole.
 */
const MAX_SEARCHED = 1.25 * 1024 * 1024;

/**
 * Creates a redactor with three layers, each of which works on the output of the previous one: declared paths; member names of
 * credentials; addresses and known forms of secrets in any text. Redaction is idempotent.
 */
export function createRedactor(policy: RedactionPolicy = {}): Redactor {
  const { names = [], exceptions = [] } = policy;
  const judgeName = createNameTest(names);
  const search = createTextSearch(policy, judgeName);
  const candidatesIn = createCandidateSearch(judgeName, search.mayHoldSecret);
  const detector = { judgeName, search, isExcepted: createExceptionTest(exceptions) };

  async function redact(
    kind: ResourceKind,
    body: JsonObject,
    rounds: number,
    budget: RedactionBudget,
  ): Promise<RedactedBody> {
    const declared = redactDeclared(kind, body);
    const isId = idTestForKind(kind);
    const texts = candidatesIn(declared.body)
      .filter(({ path, value }) => !isId(path, value))
      .map((candidate): SearchedText => ({
        ...candidate,
        kind,
        body: declared.body,
        text: String(candidate.value),
        rules: new Set(),
      }));
    for (const text of texts) {
      redactByName(text, detector);
      if (text.isSuspicious && text.rules.size === 0) await redactContent(text, detector, budget);
    }
    const changedTexts = texts.filter(({ rules }) => rules.size > 0);
    if (changedTexts.length === 0) return declared;
    const redacted = withTexts(declared, changedTexts);
    // Redaction may have changed a name that describes its neighbours: `{ name: "password …", value: "…" }`.
    const hasNewNames = rounds > 1 && changedTexts.some(({ path }) => mayDescribeNeighbours(String(path.at(-1))));
    if (!hasNewNames) return redacted;
    const nextRound = await redact(kind, redacted.body, rounds - 1, budget);
    return { body: nextRound.body, redactions: distinct([...redacted.redactions, ...nextRound.redactions]) };
  }

  return (kind, body) => redact(kind, body, MAX_ROUNDS, { characters: MAX_SEARCHED });
}

/** Sets the redacted texts in the body, and adds their redactions to the end of the list. */
function withTexts({ body, redactions }: RedactedBody, texts: readonly SearchedText[]): RedactedBody {
  const ofTexts = texts.flatMap((text) =>
    [...text.rules].map((rule) => ({ pointer: placeOfText(text).pointer, rule })),
  );
  return {
    body: setValues(body, new Map(texts.map(({ path, text }) => [path, text]))),
    redactions: distinct([...redactions, ...ofTexts]),
  };
}

function distinct(redactions: RedactedBody["redactions"]): RedactedBody["redactions"] {
  return [...new Map(redactions.map((redaction) => [`${redaction.rule} ${redaction.pointer}`, redaction])).values()];
}

/** A body without its secrets, and the places where they were: one entry per rule and pointer. */
export interface RedactedBody {
  readonly body: JsonObject;
  readonly redactions: readonly { readonly pointer: string; readonly rule: string }[];
}

/** Redacts the secrets that the kind declares. Idempotent. */
export function redactDeclared(kind: ResourceKind, body: JsonObject): RedactedBody {
  const original: RedactedBody = { body, redactions: [] };
  return kind.secrets.reduce(redactPath, original);
}

function redactPath(redacted: RedactedBody, secret: SecretPath): RedactedBody {
  return placesAt(redacted.body, secret.path).reduce((result, place) => {
    const replacement = withoutSecret(place.value, secret);
    if (replacement === place.value) return result;
    return {
      body: withValueAt(result.body, place.tokens, replacement),
      redactions: [...result.redactions, { pointer: formatPointer(place.tokens), rule: secret.rule }],
    };
  }, redacted);
}

function withoutSecret(value: JsonValue, secret: SecretPath): JsonValue {
  if (value === null || value === "" || secret.except?.some((word) => word === value) === true) return value;
  const mark = placeholderOfRule(secret.rule);
  if (secret.keep === "origin" && typeof value === "string") {
    const origin = originOf(value);
    if (origin === value || value === `${origin}/${mark}`) return value;
    if (origin !== undefined) return `${origin}/${mark}`;
  }
  return mark;
}

/** Returns the origin of a URL; undefined if there is none (`data:`), or if its host is itself the secret. */
function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, hostname } = new URL(text);
  return origin === "null" || INBOX_HOST.test(hostname) ? undefined : origin;
}

/**
 * Services that give each user a host of their own. Anyone who knows such a host can send to it, and often read what others have
 * sent.
 */
const INBOXES =
  "pipedream.net webhook.site emailhook.site requestcatcher.com requestbin.com requestbin.net beeceptor.com hookb.in oast.pro oast.live oast.site oast.online oast.fun oast.me interact.sh burpcollaborator.net oastify.com ngrok.io ngrok.app ngrok.dev ngrok-free.app ngrok-free.dev trycloudflare.com loca.lt localhost.run lhr.life serveo.net devtunnels.ms".split(
    " ",
  );
const INBOX_HOST = new RegExp(
  String.raw`^[^.]+\.(?:[\w-]+\.)?(?:${INBOXES.join("|").replaceAll(".", String.raw`\.`)}|lambda-url\.[\w-]+\.on\.aws)$`,
  "i",
);
