import type { JsonValue } from "./json.ts";
import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, createJsonScanner, OPEN_ARRAY } from "./json-scanner.ts";
import type { ListedRecord } from "./ports.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Takes JSON apart while it arrives, so that a list of any length is never in memory as a whole. Throws what `refuse` makes. */
export interface ListSplitter {
  /** The records that end in this chunk. */
  push(chunk: Uint8Array): ListedRecord[];
  /** What is around the records: `{"data":[],"meta":{…}}`, the mark in their place, and what could not be read left in its own. */
  rest(): string;
}

/** What is split, and how it is refused. */
export interface SplitOptions {
  /** The name of the list. */
  readonly member: string;
  readonly maxDepth: number;
  /** Records that are read; any after those are passed over. */
  readonly most?: number;
  /** JSON that stands for the records in the rest, to tell the list from another of the name. */
  readonly mark?: string;
  /** The error for what cannot be used, told in words that follow its name: `nests deeper than 512 levels`. */
  readonly refuse: (problem: string) => Error;
}

const [SPACE, COLON] = [0x20, 0x3a];

/** White space of JSON; `trim` would take out more. */
const BLANK = /^[ \t\n\r]*$/;

/**
 * Splits `{"<member>":[record,record…],…}` at the brackets and commas outside of strings; `JSON.parse` reads each record. What
 * is not of that form stays in `rest`, so that all judging of it stays in one place.
 */
export function createListSplitter(options: SplitOptions): ListSplitter {
  const { member, maxDepth, most = Number.POSITIVE_INFINITY, mark = "", refuse } = options;
  const announcesList = new RegExp(`[{,]\\s*"${member}"\\s*:\\s*$`);
  /** Enough of what came before a bracket to hold the member's name. */
  const nameBytes = member.length + 64;
  const shell: Uint8Array[] = [];
  const record: Uint8Array[] = [];
  let tail = "";
  const scan = createJsonScanner(maxDepth, () => refuse(`nests deeper than ${maxDepth} levels`));
  let hadList = false;
  let inList = false;
  let isBroken = false;
  let records = 0;

  const toShell = (piece: Uint8Array): void => {
    shell.push(piece);
    tail = endOf(tail, piece);
  };

  const endOf = (before: string, piece: Uint8Array): string => {
    const bytes = piece.length > nameBytes ? piece.subarray(-nameBytes) : piece;
    return (before + Buffer.from(bytes).toString("latin1")).slice(-nameBytes);
  };

  const textOf = (bytes: Uint8Array): string => {
    const text = decodeUtf8(bytes);
    if (text === undefined) throw refuse("is not UTF-8");
    return text;
  };

  /** Nothing between two commas is as damaged as half a record; nothing in a list without a comma is an empty list. */
  const endRecord = (isLast: boolean): ListedRecord[] => {
    const pieces = record.splice(0);
    if (records >= most) return [];
    const json = Buffer.concat(pieces);
    const text = textOf(json);
    if (isLast && records === 0 && BLANK.test(text)) return [];
    records += 1;
    try {
      const value: JsonValue = JSON.parse(text);
      return [{ value, json }];
    } catch {
      // What follows is of no use, and would take a hundred times its size in pieces.
      isBroken = true;
      toShell(Buffer.from(`${text},`));
      return [];
    }
  };

  return {
    push(chunk) {
      const found: ListedRecord[] = [];
      let from = 0;
      scan(chunk, (byte, at) => {
        if (isBroken) return;
        if (!inList) {
          if (byte !== OPEN_ARRAY || !mayFollowName(chunk, from, at)) return;
          if (!announcesList.test(endOf(tail, chunk.subarray(from, at)))) return;
          if (hadList) throw refuse(`has "${member}" twice`);
          toShell(chunk.subarray(from, at + 1));
          toShell(Buffer.from(mark));
          from = at + 1;
          [hadList, inList] = [true, true];
        } else if (byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
          record.push(chunk.subarray(from, at));
          found.push(...endRecord(byte !== COMMA));
          inList = byte === COMMA && !isBroken;
          from = byte === COMMA ? at + 1 : at;
        }
      });
      if (inList) record.push(chunk.subarray(from));
      else toShell(chunk.subarray(from));
      return found;
    },
    rest: () => textOf(Buffer.concat([...shell, ...record])),
  };
}

/** False where something else than a colon stands before: to ask for more of millions of brackets would take seconds. */
function mayFollowName(chunk: Uint8Array, from: number, at: number): boolean {
  for (let before = at - 1; before >= from; before -= 1) {
    const byte = chunk[before] ?? 0;
    if (byte > SPACE) return byte === COLON;
  }
  return true;
}
