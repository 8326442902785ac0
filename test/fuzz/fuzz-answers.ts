import { createListDecoder, createRecordDecoder, openEnvelope, PAYLOAD_MEMBER } from "../../src/client/envelope.ts";
import { createCredentialMask } from "../../src/client/error-body.ts";
import { responseFailure } from "../../src/client/failures.ts";
import { LIST_RECORD_BOUNDS, createListStream } from "../../src/client/lists/list-stream.ts";
import { UnusableResponseError } from "../../src/client/response-bytes.ts";
import type { StackRequest, StackResponse } from "../../src/client/request.ts";
import { StackError } from "../../src/core/errors.ts";
import type { JsonValue } from "../../src/core/json.ts";
import type { Variant } from "../../src/core/records/record.ts";
import { findJsonFlaw } from "../../src/core/text/json-scan.ts";
import { parseRecord } from "../../src/kinds/descriptor-parts.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { terminalControlIn } from "../support/hostile-text.ts";
import { recordedExchanges } from "../support/recorded-exchanges.ts";
import { seededRandom, type SeededRandom } from "../support/seeded-random.ts";
import { attempt, type FuzzRun, type Tally } from "./fuzz-run.ts";
import { hostileRecord } from "./hostile-record.ts";
import { mutateJson, mutateText } from "./mutate.ts";

const SECRET = "fuzz-secret-0123456789";
const VARIANTS: readonly Variant[] = ["managed", "self-hosted"];
const NOW = Date.UTC(2026, 0, 1);
const STATUSES = [
  200, 200, 200, 200, 201, 204, 206, 301, 302, 400, 401, 403, 404, 405, 407, 408, 409, 422, 429, 500, 501, 503,
];
const DOCUMENTED = new Set([
  "unreadable-record",
  "protocol",
  "not-offered",
  "unauthorized",
  "forbidden",
  "not-found",
  "unreachable",
  "rate-limited",
  "unavailable",
  "rejected",
]);

/** Decodes recorded responses that were changed at random. Throws if one fails in an undocumented way. */
export async function fuzzAnswers({ runs, seed }: FuzzRun): Promise<Tally> {
  const bodies = recordedExchanges().map(({ response }) => response.body as JsonValue);
  const tally: Tally = new Map();
  for (let run = seed; run < seed + runs; run += 1) {
    await attempt(run, tally, () => outcomeOf(seededRandom(run), bodies));
  }
  return tally;
}

function outcomeOf(random: SeededRandom, bodies: readonly JsonValue[]): string {
  const answer = { status: random.pick(STATUSES), headers: headersOf(random), text: textOf(random, bodies) };
  const filterSecrets = createCredentialMask([SECRET]);
  const request = requestOf(random);
  if (answer.status >= 300) return documentedCode(responseFailure(request, answer, filterSecrets, NOW).error);
  return random.chance(1 / 2) ? asList(request, answer, random) : asRecord(request, answer, random);
}

function asList(request: StackRequest, answer: StackResponse, random: SeededRandom): string {
  const variant = variantOf(answer, random);
  const { records, text } = arrived(answer.text, PAYLOAD_MEMBER[variant], random);
  if (text === undefined) return "unusable";
  const opened = openEnvelope(request, { ...answer, text }, createListDecoder(variant), createCredentialMask([SECRET]));
  if (!opened.ok) return documentedCode(opened.error);
  for (const record of [...records, ...opened.value.records])
    for (const kind of kinds) checked(parseRecord(kind, record));
  return "list";
}

/** Reads the text in chunks of random size, as from a socket. The result has no text if the list was refused. */
function arrived(whole: string, member: string, random: SeededRandom): { records: JsonValue[]; text?: string } {
  const list = createListStream(member);
  const bytes = Buffer.from(whole);
  const records: JsonValue[] = [];
  try {
    for (let at = 0, end = 0; at < bytes.length; at = end) {
      end = at + 1 + random.below(bytes.length > 100_000 ? 20_000 : 500);
      for (const { value, problem } of list.push(bytes.subarray(at, end))) {
        const flaw = findJsonFlaw(JSON.stringify(value), LIST_RECORD_BOUNDS);
        if (flaw !== undefined && problem === undefined) throw new Error("a record is out of bounds");
        records.push(value);
      }
    }
    return { records, text: list.rest().replace(/^\uFEFF/, "") };
  } catch (error) {
    if (!(error instanceof UnusableResponseError)) throw error;
    return { records };
  }
}

function asRecord(request: StackRequest, answer: StackResponse, random: SeededRandom): string {
  const opened = openEnvelope(
    request,
    answer,
    createRecordDecoder(variantOf(answer, random)),
    createCredentialMask([SECRET]),
  );
  if (!opened.ok) return documentedCode(opened.error);
  for (const kind of kinds) checked(parseRecord(kind, opened.value));
  return "record";
}

/** Returns mostly the variant to which the envelope belongs, because the other variant refuses nearly everything at once. */
function variantOf({ text }: StackResponse, random: SeededRandom): Variant {
  if (random.chance(1 / 8)) return random.pick(VARIANTS);
  return text.includes('"result":') ? "managed" : "self-hosted";
}

function checked(parsed: ReturnType<typeof parseRecord>): void {
  if (!parsed.ok && parsed.problem === "") throw new Error("a record was refused without a reason");
}

function documentedCode(error: unknown): string {
  if (!(error instanceof StackError) || !DOCUMENTED.has(error.code)) throw error;
  const texts = `${error.message}${error.failure.excerpt ?? ""}${error.failure.requestId ?? ""}`;
  if (texts.includes(SECRET)) throw new Error("the credential was repeated");
  if (texts.length > 5000) throw new Error("the message has no bound");
  if (terminalControlIn(texts) !== undefined) throw new Error(`the message holds ${terminalControlIn(texts)}`);
  return error.code;
}

/** Returns a list or a record in its envelope that costs more than its size suggests. */
function hostileAnswer(random: SeededRandom): string {
  const member = random.pick(["data", "result", "d\\u0061ta"]);
  const records = Array.from({ length: random.between(1, 3) }, () => hostileRecord(random));
  const payload = random.chance(1 / 4) ? hostileRecord(random) : `[${records.join(random.pick([",", " , ", ",,"]))}]`;
  return `{"${member}":${payload},"meta":{"total":${records.length}}}`;
}

function textOf(random: SeededRandom, bodies: readonly JsonValue[]): string {
  if (random.chance(1 / 8)) return hostileAnswer(random);
  const body = random.pick(bodies);
  const changed = random.chance(1 / 4) ? body : mutateJson(body, random);
  const text = typeof changed === "string" ? changed : JSON.stringify(changed);
  const mangled = random.chance(1 / 4) ? mutateText(text, random) : text;
  return random.chance(1 / 8) ? `${mangled.slice(0, random.below(mangled.length + 1))}${SECRET}\u001b[2J` : mangled;
}

function headersOf(random: SeededRandom): Headers {
  const headers = new Headers();
  const values = [
    "",
    "0",
    "-1",
    "1e9",
    "NaN",
    "99999999999999999999",
    "Wed, 21 Oct 2026 07:28:00 GMT",
    "text/html",
    SECRET,
  ];
  const names = [
    "content-type",
    "x-total-count",
    "retry-after",
    "ratelimit-reset",
    "ratelimit-limit",
    "x-request-id",
    "location",
  ];
  for (const name of names) if (random.chance(1 / 2)) headers.set(name, random.pick(values));
  return headers;
}

function requestOf(random: SeededRandom): StackRequest {
  const writes = random.chance(1 / 2);
  const method = writes ? "POST" : "GET";
  const url = "http://stack.test/api/v2/dashboards";
  return {
    method,
    path: "/api/v2/dashboards",
    url,
    writes,
    repeatable: !writes,
    optional: random.chance(1 / 4),
    right: "a role",
  };
}
