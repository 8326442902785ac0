import type { JsonValue } from "../../core/json.ts";
import { decodeUtf8 } from "../../core/json.ts";
import type { JsonBounds } from "../../core/text/json-scan.ts";
import { describeJsonFlaw, findJsonFlaw } from "../../core/text/json-scan.ts";

/** A parsed file, or its problem without any of the content. */
export type DecodedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly isJson: boolean; readonly problem: string };

/** Reads a file of the archive as JSON: UTF-8 without a byte order mark, within the bounds, with exactly representable numbers. */
export function decodeJson(bytes: Uint8Array, bounds: JsonBounds): DecodedJson {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, isJson: false, problem: "is not UTF-8" };
  const flaw = findJsonFlaw(text, bounds);
  if (flaw === "depth" || flaw === "values") {
    return { ok: false, isJson: false, problem: describeJsonFlaw(flaw, bounds) };
  }
  try {
    const value: JsonValue = JSON.parse(text);
    return flaw === undefined
      ? { ok: true, value }
      : { ok: false, isJson: true, problem: describeJsonFlaw(flaw, bounds) };
  } catch {
    // The parser's own message quotes the text, which may be confidential.
    return { ok: false, isJson: false, problem: "is not JSON" };
  }
}
