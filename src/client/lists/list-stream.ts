import type { JsonValue } from "../../core/json.ts";
import type { ListedRecord } from "../../core/ports.ts";
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  describeJsonFlaw,
  findJsonFlaw,
  recordBounds,
} from "../../core/text/json-scan.ts";
import { UnusableResponseError, createByteCollector, decodeBodyText } from "../response-bytes.ts";

/** Functions that walk a record recurse once per level. No real record comes near this limit. */
export const MAX_LIST_DEPTH = 512;

const COMMA_BYTE = Uint8Array.of(COMMA);

/** Allows deeper records than an archive, because an error here refuses the whole list. */
export const LIST_RECORD_BOUNDS = { maxValues: recordBounds.maxValues, maxDepth: MAX_LIST_DEPTH };

/** An archive cannot contain more records. */
const MAX_RECORDS = 50_000;

/** The white space of JSON; `trim` would also remove other characters. */
const BLANK = /^[ \t\n\r]*$/;

/** `JSON.parse` of `rest()` fails if the response was not JSON. */
export function createListStream(member: string) {
  const scan = createScanner(member);
  const envelope = createByteCollector(recordBounds.maxBytes, "is, apart from its records,");
  const record = createByteCollector(recordBounds.maxBytes, "holds a record that is");
  let state: "before" | "inside" | "after" = "before";
  let count = 0;

  const endRecord = (found: ListedRecord[], isLast: boolean): boolean => {
    const text = decodeBodyText(record.bytes());
    if (isLast && count === 0 && BLANK.test(text)) {
      record.clear();
      return true;
    }
    count += 1;
    const parsed = parseRecord(text, count);
    if (parsed !== undefined) found.push(parsed);
    else {
      // The comma makes the caller's `JSON.parse` fail, even if the invalid text is empty.
      envelope.add(record.bytes());
      envelope.add(COMMA_BYTE);
    }
    record.clear();
    return parsed !== undefined;
  };

  return {
    push(chunk: Uint8Array): ListedRecord[] {
      const found: ListedRecord[] = [];
      if (chunk.length === 0) return found;
      let from = 0;
      scan(chunk, (event, at) => {
        if (event === "list opens") {
          if (state !== "before") throw new UnusableResponseError(`has "${member}" twice`);
          state = "inside";
          envelope.add(chunk.subarray(from, at + 1));
          from = at + 1;
        } else if (state === "inside") {
          record.add(chunk.subarray(from, at));
          from = event === "comma" ? at + 1 : at;
          const isJson = endRecord(found, event !== "comma");
          if (event !== "comma" || !isJson) state = "after";
        }
      });
      (state === "inside" ? record : envelope).add(chunk.subarray(from));
      return found;
    },
    rest: (): string => {
      envelope.add(record.bytes());
      record.clear();
      return decodeBodyText(envelope.bytes());
    },
  };
}

function parseRecord(text: string, position: number): ListedRecord | undefined {
  if (position > MAX_RECORDS) throw new UnusableResponseError(`holds more than ${MAX_RECORDS} records`);
  const flaw = findJsonFlaw(text, LIST_RECORD_BOUNDS);
  const problem = flaw === undefined ? undefined : describeJsonFlaw(flaw, LIST_RECORD_BOUNDS);
  if (flaw === "values" || flaw === "depth") {
    throw new UnusableResponseError(`holds a record, number ${position}, that ${problem}`);
  }
  try {
    const value: JsonValue = JSON.parse(text);
    return { value, size: text.length, ...(problem !== undefined && { problem }) };
  } catch {
    return undefined;
  }
}

const IS_MARK = Array.from({ length: 256 }, (_, byte) =>
  [QUOTE, COMMA, OPEN_ARRAY, OPEN_OBJECT, CLOSE_ARRAY, CLOSE_OBJECT].includes(byte),
);

/** Commas and closing brackets come at depth 2 of the answer, in any array or object. */
type Visit = (event: "list opens" | "comma" | "closes", at: number) => void;

function createScanner(member: string): (chunk: Uint8Array, visit: Visit) => void {
  const strings = createStringScanner();
  const name = createNameMatcher(member);
  let depth = 0;

  const passString = (chunk: Uint8Array, from: number): number => {
    const after = strings.end(chunk, from);
    if (depth === 1) name.add(chunk, from, strings.isOpen() ? after : after - 1);
    return after;
  };

  const openBracket = (byte: number, offset: number, visit: Visit): void => {
    depth += 1;
    if (depth > MAX_LIST_DEPTH) throw new UnusableResponseError(`nests deeper than ${MAX_LIST_DEPTH} levels`);
    if (depth === 2 && byte === OPEN_ARRAY && name.matches()) visit("list opens", offset);
  };

  return (chunk, visit) => {
    let offset = strings.isOpen() ? passString(chunk, 0) : 0;
    while (offset < chunk.length) {
      const byte = chunk[offset];
      if (byte === undefined || !IS_MARK[byte]) {
        offset += 1;
        continue;
      }
      if (byte === QUOTE) {
        if (depth === 1) name.reset();
        offset = passString(chunk, offset + 1);
        continue;
      }
      if (byte === COMMA) {
        if (depth === 2) visit("comma", offset);
      } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        openBracket(byte, offset, visit);
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        if (depth === 2) visit("closes", offset);
        depth -= 1;
      }
      offset += 1;
    }
  };
}

function createStringScanner() {
  let isInString = false;
  let escaped = false;
  return {
    isOpen: () => isInString,
    end(chunk: Uint8Array, from: number): number {
      for (let offset = escaped ? from + 1 : from; ;) {
        // `indexOf` is twice as fast as a loop over bytes.
        const quote = chunk.indexOf(QUOTE, offset);
        const end = quote === -1 ? chunk.length : quote;
        const isEscaped = backslashesBefore(chunk, end, offset) % 2 === 1;
        if (quote === -1 || !isEscaped) {
          isInString = quote === -1;
          escaped = isInString && isEscaped;
          return isInString ? end : quote + 1;
        }
        offset = quote + 1;
      }
    },
  };
}

function backslashesBefore(chunk: Uint8Array, end: number, start: number): number {
  let first = end;
  while (first > start && chunk[first - 1] === BACKSLASH) first -= 1;
  return end - first;
}

function createNameMatcher(name: string) {
  const expected = Buffer.from(name);
  let matched = 0;
  let differs = true;
  return {
    reset(): void {
      matched = 0;
      differs = false;
    },
    add(chunk: Uint8Array, from: number, to: number): void {
      for (let at = from; at < to && !differs; at += 1) {
        differs = chunk[at] !== expected[matched];
        matched += 1;
      }
    },
    matches: () => !differs && matched === expected.length,
  };
}
