import type { FetchPage } from "../../src/client/lists/pagination.ts";
import { readPages, readWhole } from "../../src/client/lists/pagination.ts";
import { StackError } from "../../src/core/errors.ts";
import type { ListGap } from "../../src/core/ports.ts";
import type { JsonValue } from "../../src/core/json.ts";

/** A server's answer to one request of a list. */
export interface ListPage {
  readonly records: readonly JsonValue[];
  readonly total?: number;
  readonly limit?: number;
  readonly skipped?: { readonly count: number; readonly ids: readonly string[] };
}

/** The result of reading a list: its records, the offsets that were asked for, and the code of its error. */
export interface ListReading {
  readonly records: readonly JsonValue[];
  readonly asked: readonly (number | undefined)[];
  readonly code?: string;
  readonly message?: string;
  /** The request that failed. */
  readonly failure?: unknown;
  /** The gap in the list that the reader was told of. */
  readonly gap?: ListGap;
}

/** Makes a server's answer from the offset (none where no page is asked for) and the number of the request. */
type Answer = (offset: number | undefined, request: number) => ListPage;

/** Reads a paged list. @param isTold whether the reader wants to know of gaps, or an error in their place */
export function readPagedList(
  pageSize: number,
  answer: (offset: number, request: number) => ListPage,
  isTold = true,
): Promise<ListReading> {
  return readList(
    (fetchPage, onGap) =>
      readPages(fetchPage, { pageSize, firstWithoutPage: false }, "/list", isTold ? onGap : undefined),
    (offset = 0, request) => answer(offset, request),
  );
}

/** Reads a list that is first asked for without a page. */
export function readGatewayList(pageSize: number, answer: Answer): Promise<ListReading> {
  return readList((fetchPage) => readPages(fetchPage, { pageSize, firstWithoutPage: true }, "/list"), answer);
}

/** Reads a list that comes in one answer. */
export function readWholeList(answer: ListPage): Promise<ListReading> {
  return readList(
    (fetchPage, onGap) => readWhole(fetchPage, "/list", onGap),
    () => answer,
  );
}

async function readList(
  read: (fetchPage: FetchPage, onGap: (gap: ListGap) => void) => ReturnType<typeof readWhole>,
  answer: Answer,
): Promise<ListReading> {
  const asked: (number | undefined)[] = [];
  const records: JsonValue[] = [];
  let gap: ListGap | undefined;
  const fetchPage: FetchPage = async function* answered(page) {
    asked.push(page?.offset);
    const { records: all, ...around } = answer(page?.offset, asked.length);
    // One arrives early, as from a stream; the others with the end of the answer.
    yield all.slice(0, 1).map((value) => ({ value }));
    return { ...around, records: all.slice(1), count: all.length };
  };
  try {
    for await (const part of read(fetchPage, (found) => (gap = found))) records.push(...part.map(({ value }) => value));
    return { records, asked, ...(gap !== undefined && { gap }) };
  } catch (error) {
    if (!(error instanceof StackError)) throw error;
    const { code, message, failure } = error;
    return { records, asked, code, message, failure };
  }
}
