import type { JsonObject, JsonValue } from "../core/json.ts";
import { formatPointer, placesAt, withValueAt } from "../core/records/member-path.ts";
import { matchesGlob } from "../core/records/record-filter.ts";
import type { ResourceKind, SecretPath } from "../core/resource-kind.ts";
import type { RedactionException } from "../core/secrets.ts";
import { applySpans, type CleanedText } from "./apply-spans.ts";
import { createCandidateSearch, isRecordId, mayDescribeNeighbours, type SecretCandidate } from "./candidates.ts";
import { holdsPlaceholder, maskPlaceholders, placeholderOfRule, setValues } from "./placeholders.ts";
import { maskProtectedTexts } from "./rules/keys.ts";
import { createTextSearch, type RedactionPolicy, type TextSearch } from "./text-rules.ts";
import { createNameTest, secretRuleOfNames, type NameTest } from "./values/names.ts";

export type Redactor = (kind: ResourceKind, body: JsonObject) => Promise<RedactedBody>;

/** The rules run again, because redacting one secret can reveal another. */
const MAX_ROUNDS = 6;
/** In characters; a longer suspicious text is redacted as a whole. */
const MAX_TEXT_LENGTH = 256 * 1024;
/** In searched characters of one record; later suspicious texts are redacted as a whole. */
const MAX_SEARCHED = 1.25 * 1024 * 1024;

/** Redacts declared paths, then values by their names, then secrets inside texts. */
export function createRedactor(policy: RedactionPolicy = {}): Redactor {
  const { names = [], exceptions = [] } = policy;
  const judgeName = createNameTest(names);
  const search = createTextSearch(policy, judgeName);
  const candidatesIn = createCandidateSearch(judgeName, search.mayHoldSecret);
  const isExcepted = createExceptionTest(exceptions);

  async function redact(
    kind: ResourceKind,
    body: JsonObject,
    rounds: number,
    budget: RedactionBudget,
  ): Promise<RedactedBody> {
    const declared = redactDeclared(kind, body);
    const changes = new Map<SecretCandidate, CleanedText>();
    for (const candidate of candidatesIn(declared.body).filter((each) => !isRecordId(kind, each))) {
      const detector = {
        judgeName,
        search,
        isExcepted: (rule: string, part: string) => isExcepted(kind, candidate, rule, part),
      };
      const byName = redactByName(candidate, detector);
      const isSearched = candidate.isSuspicious && byName.rules.length === 0;
      const cleaned = isSearched ? await redactContent(String(candidate.value), detector, budget) : byName;
      if (cleaned.rules.length > 0) changes.set(candidate, cleaned);
    }
    if (changes.size === 0) return declared;
    const redacted = withTexts(declared, changes);
    // In `{ name, value }`, a redacted text can be the name of another value.
    const hasNewNames = [...changes.keys()].some(({ path }) => mayDescribeNeighbours(String(path.at(-1))));
    if (rounds === 1 || !hasNewNames) return redacted;
    const nextRound = await redact(kind, redacted.body, rounds - 1, budget);
    return { body: nextRound.body, redactions: distinct([...redacted.redactions, ...nextRound.redactions]) };
  }

  return (kind, body) => redact(kind, body, MAX_ROUNDS, { characters: MAX_SEARCHED });
}

interface SecretDetector {
  readonly judgeName: NameTest;
  readonly search: TextSearch;
  readonly isExcepted: (rule: string, part: string) => boolean;
}

interface RedactionBudget {
  characters: number;
}

function redactByName(
  { value, names, isNamed }: SecretCandidate,
  { judgeName, isExcepted }: SecretDetector,
): CleanedText {
  const text = String(value);
  const isOpen = isNamed && !text.includes("\0") && !holdsPlaceholder(text);
  const rule = isOpen ? secretRuleOfNames(value, names, judgeName) : undefined;
  const spans = rule === undefined || isExcepted(rule, text) ? [] : [{ start: 0, end: text.length, rule }];
  return applySpans(text, text, spans);
}

async function redactContent(
  original: string,
  { search, isExcepted }: SecretDetector,
  budget: RedactionBudget,
): Promise<CleanedText> {
  let text = original;
  const rules: string[] = [];
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    budget.characters -= text.length;
    if (original.length > MAX_TEXT_LENGTH || budget.characters < 0) {
      const rule = "long-text";
      return isExcepted(rule, text) ? { text, rules } : { text: placeholderOfRule(rule), rules: [...rules, rule] };
    }
    const coveredText = maskProtectedTexts(maskPlaceholders(text));
    const spans = await search.find(coveredText);
    const secrets = spans.filter(({ start, end, rule }) => !isExcepted(rule, text.slice(start, end)));
    const cleaned = applySpans(text, coveredText, secrets);
    rules.push(...cleaned.rules);
    if (cleaned.text === text) break;
    text = cleaned.text;
  }
  return { text, rules };
}

function createExceptionTest(exceptions: readonly RedactionException[]) {
  const tests = exceptions.map(({ rule, kind, name, pointer, pattern }) => {
    const steps = pointer?.split("/");
    const partPattern = pattern === undefined ? undefined : new RegExp(`^(?:${pattern})$`, "u");
    return (ofKind: ResourceKind, { names, path }: SecretCandidate, byRule: string, part: string): boolean =>
      (rule === undefined || rule === byRule) &&
      (kind === undefined || kind === ofKind.name) &&
      (name === undefined || names.includes(name)) &&
      (steps === undefined || fitsPointer(steps, formatPointer(path.map(String)))) &&
      (partPattern === undefined || partPattern.test(part));
  });
  return (kind: ResourceKind, candidate: SecretCandidate, rule: string, part: string): boolean =>
    tests.some((fits) => fits(kind, candidate, rule, part));
}

function fitsPointer(pattern: readonly string[], pointer: string): boolean {
  const steps = pointer.split("/");
  return steps.length === pattern.length && steps.every((step, index) => matchesGlob(pattern[index] ?? "", step, ""));
}

function withTexts(
  { body, redactions }: RedactedBody,
  changes: ReadonlyMap<SecretCandidate, CleanedText>,
): RedactedBody {
  const ofTexts = [...changes].flatMap(([{ path }, { rules }]) =>
    rules.map((rule) => ({ pointer: formatPointer(path.map(String)), rule })),
  );
  return {
    body: setValues(body, new Map([...changes].map(([{ path }, { text }]) => [path, text]))),
    redactions: distinct([...redactions, ...ofTexts]),
  };
}

function distinct(redactions: RedactedBody["redactions"]): RedactedBody["redactions"] {
  return [...new Map(redactions.map((redaction) => [`${redaction.rule} ${redaction.pointer}`, redaction])).values()];
}

export interface RedactedBody {
  readonly body: JsonObject;
  readonly redactions: readonly { readonly pointer: string; readonly rule: string }[];
}

/** A second call changes nothing. */
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

/** Undefined without an origin (`data:`), or if the host itself is a secret. */
function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, hostname } = new URL(text);
  return origin === "null" || INBOX_HOST.test(hostname) ? undefined : origin;
}

/** Anyone who knows a host of these services can often read what others send to it. */
const INBOXES =
  "pipedream.net webhook.site emailhook.site requestcatcher.com requestbin.com requestbin.net beeceptor.com hookb.in oast.pro oast.live oast.site oast.online oast.fun oast.me interact.sh burpcollaborator.net oastify.com ngrok.io ngrok.app ngrok.dev ngrok-free.app ngrok-free.dev trycloudflare.com loca.lt localhost.run lhr.life serveo.net devtunnels.ms".split(
    " ",
  );
const INBOX_HOST = new RegExp(
  String.raw`^[^.]+\.(?:[\w-]+\.)?(?:${INBOXES.join("|").replaceAll(".", String.raw`\.`)}|lambda-url\.[\w-]+\.on\.aws)$`,
  "i",
);
