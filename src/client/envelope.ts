import { StackError } from "../core/errors.ts";
import { isJsonArray, isJsonObject, objectsIn, type JsonObject, type JsonValue } from "../core/json.ts";
import type { ValidationVerdict } from "../core/ports.ts";
import type { Variant } from "../core/records/record.ts";
import { describeJsonFlaw, endsInside, findJsonFlaw, type JsonFlaw } from "../core/text/json-scan.ts";
import { excerptOfForeignBody, requestIdOf, singleLine, type CredentialMask } from "./error-body.ts";
import { CUT_HINT, type Failure, HINT_BY_CODE, MAX_TRIES_FOR_DAMAGED, type Result } from "./failures.ts";
import { LIST_RECORD_BOUNDS } from "./lists/list-stream.ts";
import type { StackRequest, StackResponse } from "./request.ts";

export interface ListResponse {
  /** Records that were not streamed. */
  readonly records: readonly JsonValue[];
  /** The number of records in the response, streamed or not. */
  readonly count: number;
  readonly total?: number;
  readonly limit?: number;
  /** Records that the server left out (docs/api.md#lists). */
  readonly skipped?: { readonly count: number; readonly ids: readonly string[] };
}

export type Decode<T> = (body: JsonObject, response: StackResponse) => T | undefined;

export const PAYLOAD_MEMBER: Readonly<Record<Variant, string>> = { managed: "result", "self-hosted": "data" };

export function createRecordDecoder(variant: Variant): Decode<JsonObject> {
  return (body) => {
    const value = body[PAYLOAD_MEMBER[variant]];
    return isJsonObject(value) ? value : undefined;
  };
}

/** The total is in `meta` (docs/api.md#lists) or in `X-Total-Count`. */
export function createListDecoder(variant: Variant): Decode<ListResponse> {
  return (body, { headers, streamedCount = 0 }) => {
    const records = body[PAYLOAD_MEMBER[variant]];
    if (!isJsonArray(records)) return undefined;
    const meta = isJsonObject(body["meta"]) ? body["meta"] : {};
    const stated = meta["total"] ?? (headers.get("x-total-count") || undefined);
    const total = countOf(typeof stated === "string" && /^\d{1,15}$/.test(stated) ? Number(stated) : stated);
    // Refuses a total that is not a number: the count of records could not be checked.
    if (stated !== undefined && total === undefined) return undefined;
    if (records.length === 0 && streamedCount === 0 && tellsOfFailure(body)) return undefined;
    const limit = countOf(meta["limit"]);
    const count = streamedCount + records.length;
    const skipped = skippedOf(meta);
    return { records, count, total, limit, skipped: skipped.count > 0 ? skipped : undefined };
  };
}

/** A longer id is left out, but still counts as a skipped record. */
const MAX_ID = 200;

function skippedOf({ skipped, skippedIds }: JsonObject): { readonly count: number; readonly ids: readonly string[] } {
  const listed = isJsonArray(skippedIds) ? skippedIds : [];
  const ids = listed.filter((id): id is string => typeof id === "string" && id.length <= MAX_ID);
  return { count: Math.max(countOf(skipped) ?? 0, listed.length), ids };
}

const MAX_MESSAGE = 300;

export function createVerdictDecoder(variant: Variant, maskCredentials: CredentialMask): Decode<ValidationVerdict> {
  const text = (value: JsonValue | undefined): string =>
    typeof value === "string" ? singleLine(maskCredentials(value), MAX_MESSAGE) : "";
  return (body) => {
    const inside = body[PAYLOAD_MEMBER[variant]];
    const { valid, errors, normalized } = isJsonObject(inside) ? inside : body;
    if (typeof valid !== "boolean") return undefined;
    const problems = objectsIn(errors).map(({ path, message }) => ({ path: text(path), message: text(message) }));
    const taken = isJsonObject(normalized) ? { normalized } : {};
    return { valid, errors: problems, ...taken };
  };
}

/** For chart series, whose envelope is unknown (docs/api.md#series), and for deletes, which return no record. */
export const decodeWhole: Decode<JsonObject> = (body) => body;

export function openEnvelope<T>(
  request: StackRequest,
  response: StackResponse,
  decode: Decode<T>,
  maskCredentials: CredentialMask,
): Result<T> {
  const { text, status, headers } = response;
  const flaw = findJsonFlaw(text, LIST_RECORD_BOUNDS);
  const refuse = (retry: Failure["retry"], body?: JsonObject): { readonly ok: false } & Failure => {
    return { ok: false, error: notOfThisApi(request, response, { flaw, body }, maskCredentials), retry };
  };
  // 206 Partial Content: a part of the response is missing.
  if (status === 206) return refuse("never");
  // A write has already happened, so a number that JavaScript cannot represent is no reason to refuse the response.
  if (flaw !== undefined && (flaw !== "number" || request.method === "GET")) return refuse("never");
  let body: JsonValue = {};
  try {
    if (status !== 204 && text !== "") body = JSON.parse(text);
  } catch {
    // Broken JSON was probably cut off in transit, so a retry can help.
    const isJson = (headers.get("content-type") ?? "").includes("json");
    return isJson ? { ...refuse("if-repeatable"), maxTries: MAX_TRIES_FOR_DAMAGED } : refuse("never");
  }
  if (!isJsonObject(body)) return refuse("never");
  const value = decode(body, response);
  return value === undefined ? refuse("never", body) : { ok: true, value };
}

function notOfThisApi(
  { method, path, writes }: StackRequest,
  { status, headers, text, streamedCount }: StackResponse,
  { flaw, body }: { readonly flaw: JsonFlaw | undefined; readonly body: JsonObject | undefined },
  maskCredentials: CredentialMask,
): StackError {
  const isCut = flaw === undefined && body === undefined && /^\s*\{/.test(text) && endsInside(text);
  const ofThisApi = isCut ? "a body that was cut off: its JSON does not end" : "a body that is not this API's";
  const why = flaw === undefined ? ofThisApi : `what ${describeJsonFlaw(flaw, LIST_RECORD_BOUNDS)}`;
  // In a streamed list, the number is in the text around the records, so no record is at fault.
  const code = flaw === "number" && streamedCount === undefined ? "unreadable-record" : "protocol";
  const requestId = requestIdOf(body, headers, maskCredentials);
  // The response is a record, which can contain secrets, so the message has no excerpt.
  const excerpt = code === "unreadable-record" ? "" : excerptOfForeignBody(text, maskCredentials);
  const detail = excerpt === "" ? "" : `: ${singleLine(excerpt, 120)}`;
  const message = `the answer to ${method} ${path} was ${status} with ${why}${detail}`;
  return new StackError(code, message, {
    method,
    path,
    status,
    applied: writes ? "unknown" : "no",
    ...(excerpt !== "" && { excerpt }),
    requestId,
    hint: isCut ? CUT_HINT : HINT_BY_CODE[code],
  });
}

/** Some gateways report a failure with status 200. */
function tellsOfFailure({ success, error }: JsonObject): boolean {
  return success === false || (typeof error === "string" && error !== "") || isJsonObject(error);
}

function countOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
