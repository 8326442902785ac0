import { LineCounter, parseDocument, type Document } from "yaml";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { describeJsonFlaw, findJsonFlaw } from "../../../core/text/json-scan.ts";
import { mayHoldMoreValues, offsetOfMember, offsetOfRepeatedKey } from "../../../core/text/yaml-checks.ts";
import { archiveLimits } from "../../limits.ts";
import { decodeJson } from "../../record.ts";
import { fillValues, type CodeValues } from "../values.ts";
import { type FileProblem, type ParsedFile, unreadOf } from "./code-file.ts";

export interface ParsedText extends ParsedFile {
  readonly text: string | undefined;
  readonly value: JsonValue;
  /** The problem of a placeholder without a value has no `unread`, so the problem fails the whole run. */
  readonly fill: (values: CodeValues, kind: ResourceKind) => { readonly code: JsonObject } | FileProblem;
}

export function parseFile(path: string, text: string): ParsedText | FileProblem {
  const asYaml = onFirstCall(() => parseYaml(path, text));
  const value = /\.json$/i.test(path) ? jsonOf(text) : undefined;
  if (value === undefined) return asYaml();
  // The YAML parser is much slower than the JSON parser, so it runs on demand.
  return {
    path,
    text,
    value,
    locate: (tokens, start) => {
      const yaml = asYaml();
      return "message" in yaml ? undefined : yaml.locate(tokens, start);
    },
    fill: (values, kind) => {
      const yaml = asYaml();
      return "message" in yaml ? { ...yaml, unread: unreadOf(kind) } : yaml.fill(values, kind);
    },
  };
}

function onFirstCall<Result>(make: () => Result): () => Result {
  let made: { readonly result: Result } | undefined;
  return () => (made ??= { result: make() }).result;
}

/** A JSON file can contain a whole list: 5,000 dashboards of 12 tiles take 24 MB (measured). */
export const MAX_LIST_BYTES = 8 * archiveLimits.maxEntryBytes;

const LIST_BOUNDS = { maxValues: 100 * archiveLimits.maxValues, maxDepth: archiveLimits.maxDepth };

/** Returns undefined for any flaw, which the YAML parser then reports. */
function jsonOf(text: string): JsonValue | undefined {
  if (findJsonFlaw(text, LIST_BOUNDS) !== undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseYaml(path: string, text: string): ParsedText | FileProblem {
  const lines = new LineCounter();
  const placeAt = (offset: number) => {
    const { line, col: column } = lines.linePos(offset);
    return { line, column };
  };
  if (mayHoldMoreValues(text, archiveLimits.maxValues))
    return { file: path, message: `it ${describeJsonFlaw("values", archiveLimits)}` };
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      version: "1.2",
      merge: true,
      // `offsetOfRepeatedKey` checks this: the parser's own check compares each key with all others.
      uniqueKeys: false,
    });
    const problemAtOffset = (offset: number, message: string) => ({ file: path, ...placeAt(offset), message });
    const [error] = document.errors;
    if (error !== undefined)
      return problemAtOffset(error.pos[0], `it is not valid YAML (${error.message.split("\n")[0]})`);
    const repeated = offsetOfRepeatedKey(document);
    if (repeated !== undefined) return problemAtOffset(repeated, "it is not valid YAML (the same key twice)");
    const decoded = decodeDocument(path, document);
    if ("message" in decoded) return decoded;
    return {
      path,
      text,
      value: decoded.value,
      locate: (tokens, start) => placeAt(offsetOfMember(document, tokens, start) ?? document.contents?.range[0] ?? 0),
      fill: (values, kind) => {
        const [missing] = fillValues(document, values).problems;
        if (missing !== undefined) return problemAtOffset(missing.offset, missing.message);
        const filled = decodeDocument(path, document);
        if (!("message" in filled) && isJsonObject(filled.value)) return { code: filled.value };
        const problem = "message" in filled ? filled : problemAtOffset(0, "it holds no members");
        return { ...problem, unread: unreadOf(kind) };
      },
    };
  } catch {
    return { file: path, message: UNREADABLE };
  }
}

const UNREADABLE = "it cannot be read: it nests too deep, has bad aliases, or a number that JSON lacks (.inf, .nan)";

/** Refuses a value that JSON cannot express, because a stack could not receive the value. */
function decodeDocument(path: string, document: Document.Parsed): { readonly value: JsonValue } | FileProblem {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    const decoded = decodeJson(Buffer.from(JSON.stringify(value ?? null, refuseInfinite)), archiveLimits);
    return decoded.ok ? { value: decoded.value } : { file: path, message: `it ${decoded.problem}` };
  } catch {
    return { file: path, message: UNREADABLE };
  }
}

function refuseInfinite(_: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("not a number of JSON");
  return value;
}
