import type { ListedRecord } from "../domain/ports.ts";
import { parseJson } from "./error-body.ts";
import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, createJsonScanner, OPEN_ARRAY } from "./json-scanner.ts";
import { textOf, UnusableAnswer, wholeTextOf } from "./unusable-answer.ts";

/** Takes an answer apart while it arrives, so that a list of any length is never in memory as a whole. */
export interface ListSplitter {
  /** The records that end in this chunk. @throws UnusableAnswer */
  push(chunk: Uint8Array): ListedRecord[];
  /** What is around the records: `{"data":[],"meta":{…}}`, with what could not be read left in its place. @throws UnusableAnswer */
  rest(): string;
}

/**
 * Splits `{"<member>":[record,record…],…}` at the brackets and commas outside of strings; `JSON.parse` reads each record. What
 * is not of that form stays in `rest`, so that all judging of answers stays in one place.
 */
export function createListSplitter(member: string): ListSplitter {
  const announcesList = new RegExp(`[{,]\\s*"${member}"\\s*:\\s*$`);
  /** Enough of what came before a bracket to hold the member's name. */
  const nameBytes = member.length + 64;
  const shell: Uint8Array[] = [];
  const record: Uint8Array[] = [];
  const scan = createJsonScanner();
  let inList = false;
  let records = 0;

  let tail = "";

  const toShell = (piece: Uint8Array): void => {
    shell.push(piece);
    tail = endOf(tail, piece);
  };

  const endOf = (before: string, piece: Uint8Array): string => {
    const bytes = piece.length > nameBytes ? piece.subarray(-nameBytes) : piece;
    return (before + Buffer.from(bytes).toString("latin1")).slice(-nameBytes);
  };

  /** Nothing between two commas is as damaged as half a record; nothing in a list without a comma is an empty list. */
  const endRecord = (isLast: boolean): ListedRecord[] => {
    const json = Buffer.concat(record);
    const text = textOf(json);
    record.length = 0;
    if (isLast && records === 0 && text.trim() === "") return [];
    records += 1;
    try {
      return [{ value: parseJson(text), json }];
    } catch {
      shell.push(Buffer.from(`${text},`));
      return [];
    }
  };

  return {
    push(chunk) {
      const found: ListedRecord[] = [];
      let from = 0;
      scan(chunk, (byte, at) => {
        if (!inList) {
          if (byte !== OPEN_ARRAY || !announcesList.test(endOf(tail, chunk.subarray(from, at)))) return;
          if (records > 0) throw new UnusableAnswer(`the answer has "${member}" twice`);
          toShell(chunk.subarray(from, at + 1));
          from = at + 1;
          inList = true;
        } else if (byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
          record.push(chunk.subarray(from, at));
          found.push(...endRecord(byte !== COMMA));
          inList = byte === COMMA;
          from = inList ? at + 1 : at;
        }
      });
      if (inList) record.push(chunk.subarray(from));
      else toShell(chunk.subarray(from));
      return found;
    },
    rest: () => wholeTextOf(Buffer.concat([...shell, ...record])),
  };
}
