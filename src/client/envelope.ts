import { StackError } from "../domain/errors.ts";
import { isJsonArray, isJsonObject } from "../domain/json.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import { nestsDeeperThan } from "../domain/json-depth.ts";
import type { Variant } from "../domain/record.ts";
import type { Failure } from "./attempt.ts";
import { isHtmlPage, printable, textOfHtml } from "./excerpt.ts";
import type { Scrub } from "./excerpt.ts";
import { parseJson, requestIdOf } from "./error-body.ts";
import { hintFor } from "./hints.ts";
import type { Answer, StackRequest } from "./stack-request.ts";
import { MAX_ANSWER_DEPTH } from "./unusable-answer.ts";

/** One answer of a list, but for the records that were handed on as they arrived. */
export interface ListAnswer {
  /** Those that were not: the list was spelled in a way that only `JSON.parse` understands. */
  readonly records: readonly JsonValue[];
  /** How many records the answer held, handed on or not. */
  readonly count: number;
  /** How many records the server has in all, where it says so. */
  readonly total?: number;
  /** The page size that the server kept to, where it says so. */
  readonly limit?: number;
}

/** Takes a 2xx answer's value out of its envelope; undefined where it is not the expected one. */
export type Decode<T> = (body: JsonObject, answer: Answer) => T | undefined;

const PAYLOAD: Readonly<Record<Variant, string>> = { managed: "result", "self-hosted": "data" };

/** The member of an answer that holds what was asked for. */
export function payloadMember(variant: Variant): string {
  return PAYLOAD[variant];
}

/** `{data}` or `{status, requestId, result}` around one record. */
export function decodeRecord(variant: Variant): Decode<JsonObject> {
  return (body) => {
    const value = body[PAYLOAD[variant]];
    return isJsonObject(value) ? value : undefined;
  };
}

/** The same around a list; its total is in `meta` or `X-Total-Count` (field notes, Envelopes). */
export function decodeList(variant: Variant): Decode<ListAnswer> {
  return (body, { headers, handedOn = 0 }) => {
    const records = body[PAYLOAD[variant]];
    if (!isJsonArray(records)) return undefined;
    const meta = isJsonObject(body["meta"]) ? body["meta"] : {};
    const total = countOf(meta["total"]) ?? countOf(Number(headers.get("x-total-count") ?? Number.NaN));
    const limit = countOf(meta["limit"]);
    const count = handedOn + records.length;
    return { records, count, ...(total !== undefined && { total }), ...(limit !== undefined && { limit }) };
  };
}

/** The body as it is: of chart series no envelope is known (contract 4.3), and a delete has nothing inside. */
export const decodeWhole: Decode<JsonObject> = (body) => body;

/** Reads a 2xx answer. An empty one is an empty object: that is all a delete has to say. */
export function openEnvelope<T>(
  request: StackRequest,
  answer: Answer,
  decode: Decode<T>,
  scrub: Scrub,
): { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Failure) {
  const { text, status } = answer;
  let body: JsonValue = {};
  try {
    if (nestsDeeperThan(text, MAX_ANSWER_DEPTH))
      return { ok: false, error: notOurs(request, answer, scrub), again: "never" };
    if (status !== 204 && text !== "") body = parseJson(text);
  } catch {
    return { ok: false, error: notOurs(request, answer, scrub), again: saysJson(answer) ? "if-repeatable" : "never" };
  }
  const value = isJsonObject(body) ? decode(body, answer) : undefined;
  if (value !== undefined) return { ok: true, value };
  return { ok: false, error: notOurs(request, answer, scrub, isJsonObject(body) ? body : undefined), again: "never" };
}

function notOurs(
  request: StackRequest,
  { status, headers, text }: Answer,
  scrub: Scrub,
  body?: JsonObject,
): StackError {
  const { method, path, writes } = request;
  const requestId = requestIdOf(body, headers);
  const excerpt = harmlessExcerpt(text, scrub);
  const said = excerpt === "" ? "" : `: ${printable(excerpt, 120)}`;
  return new StackError(
    "protocol",
    `${method} ${path} was answered ${status} with something that is not of this API${said}`,
    {
      method,
      path,
      status,
      applied: writes ? "unknown" : "no",
      ...(excerpt !== "" && { excerpt }),
      ...(requestId !== undefined && { requestId: printable(scrub(requestId), 100) }),
      ...hintFor("protocol"),
    },
  );
}

/** Of a page or a sentence. A record cut short is not shown: it may hold what a user's webhook is reached by. */
function harmlessExcerpt(text: string, scrub: Scrub): string {
  if (isHtmlPage(text)) return printable(scrub(textOfHtml(text)), 300);
  return /^\s*[[{"]/.test(text) ? "" : printable(scrub(text), 300);
}

function saysJson({ headers }: Answer): boolean {
  return (headers.get("content-type") ?? "").includes("json");
}

function countOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
