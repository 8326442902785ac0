import { readFileSync, readdirSync } from "node:fs";
import { expect } from "vitest";
import { z } from "zod";

const headersSchema = z.record(z.string(), z.string());
const exchangeSchema = z.strictObject({
  number: z.number(),
  name: z.string(),
  /** The point of the exchange in a sentence; empty if its name says it. */
  shows: z.string(),
  request: z.strictObject({
    method: z.string(),
    path: z.string(),
    headers: headersSchema,
    body: z.unknown().optional(),
  }),
  response: z.strictObject({ status: z.number(), headers: headersSchema, body: z.unknown() }),
});

/** A request to a real server, and its response. */
export type RecordedExchange = z.output<typeof exchangeSchema> & { readonly topic: string };

const FOLDER = new URL("../fixtures/recordings/", import.meta.url);

/** The key with which all recordings were made. */
export const ACCESS_KEY = "LAB-ACCESS-KEY";

let all: ReadonlyMap<number, RecordedExchange> | undefined;

/** Returns the selected recordings, in the order in which they were made. */
export function recordedExchanges(isWanted: (number: number) => boolean = () => true): readonly RecordedExchange[] {
  return [...(all ??= readAll()).values()].filter(({ number }) => isWanted(number));
}

export function recordedExchange(number: number): RecordedExchange {
  const exchange = (all ??= readAll()).get(number);
  if (exchange === undefined) throw new Error(`there is no recording ${number}`);
  return exchange;
}

function readAll(): ReadonlyMap<number, RecordedExchange> {
  const exchanges = readdirSync(FOLDER).flatMap((file) => {
    const topic = file.replace(".jsonl", "");
    const lines = readFileSync(new URL(file, FOLDER), "utf8").trimEnd().split("\n");
    return lines.map((line) => ({ topic, ...exchangeSchema.parse(JSON.parse(line)) }));
  });
  return new Map(exchanges.sort((left, right) => left.number - right.number).map((each) => [each.number, each]));
}

export async function send(
  url: string,
  { method, path, headers, body }: RecordedExchange["request"],
): Promise<Response> {
  // A body that is a string is one that was broken on purpose.
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`${url}${path}`, { method, headers, ...(sent === undefined ? {} : { body: sent }) });
}

/** Expects the recorded response from a stack that held `state`. Returns the body of the response. */
export async function expectAnswer(
  answer: Response,
  { request, response }: RecordedExchange,
  state: unknown,
): Promise<unknown> {
  const known = knownStrings([state, request]);
  const body = bodyOf(await answer.text(), answer);
  expect(answer.status).toBe(response.status);
  expect(headersOf(answer, response.headers)).toEqual(recordedHeaders(response.headers));
  // The comparison is of texts, so that the order of the members counts, too.
  expect(JSON.stringify(maskMadeValues(body, known), undefined, 1)).toBe(
    JSON.stringify(maskMadeValues(response.body, known), undefined, 1),
  );
  return body;
}

/**
 * Returns every string in the state or the request, because a response has to repeat these exactly. Leaves out the team's id: a new
 * record gets the id of the sandbox's own team.
 */
function knownStrings(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === "string") found.add(value);
  else if (typeof value === "object" && value !== null)
    for (const [member, each] of Object.entries(value)) if (member !== "teamId") knownStrings(each, found);
  return found;
}

/** Masks ids and times that the server made, so that only their form is compared. */
function maskMadeValues(value: unknown, known: ReadonlySet<string>): unknown {
  if (typeof value === "string") {
    if (known.has(value)) return value;
    return value
      .replace(/^[0-9a-f]{24}$/, "<new id>")
      .replace(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, "<time>");
  }
  if (Array.isArray(value)) return value.map((each) => maskMadeValues(each, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, content]) => [member, maskMadeValues(content, known)]));
}

function bodyOf(text: string, answer: Response): unknown {
  return answer.headers.get("content-type")?.startsWith("application/json") === true ? JSON.parse(text) : text;
}

const VARYING = new Set(["ratelimit-remaining", "ratelimit-reset"]);

function recordedHeaders(headers: RecordedExchange["response"]["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, VARYING.has(name) ? "<number>" : value]),
  );
}

/** Returns those headers of the response that the server ever sends, so that an extra header fails the test. */
function headersOf(answer: Response, recorded: RecordedExchange["response"]["headers"]): Record<string, string> {
  const ours = [...answer.headers].filter(
    ([name]) => name in recorded || /^(?:ratelimit-|retry-after$|x-total-count$|content-type$)/.test(name),
  );
  return recordedHeaders(Object.fromEntries(ours));
}
