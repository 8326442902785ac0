import { counted } from "../../core/text/plural.ts";
import { StackError } from "../../core/errors.ts";
import { compactJson, isJsonObject } from "../../core/json.ts";
import type { ListGap, ListedRecord } from "../../core/ports.ts";
import type { ListResponse } from "../envelope.ts";

/** Fetches one page, or the whole list without an argument: yields records while they arrive, then what is around them. */
export type FetchPage = (page?: {
  readonly limit: number;
  readonly offset: number;
}) => AsyncGenerator<readonly ListedRecord[], ListResponse>;

/** One reading from start to end. */
interface Pass {
  /** By which the records are told apart that it has seen. */
  readonly keys: ReadonlySet<string>;
  /** The least total that the server named; undefined where it names none. */
  readonly total: number | undefined;
  /** Records were deleted meanwhile, so others may have moved to a page that was read before. */
  readonly shrank: boolean;
  /** It ended at a page of records that had all come before: the stack ignores the offset. */
  readonly repeats: boolean;
}

/** A list that changes while it is read is read this often. */
const MAX_PASSES = 3;

/** So many pages in a row may hold nothing although the total says more; an archive cannot hold as many records as they skip. */
const MAX_EMPTY_PAGES = 100;

/** The most records that one response holds (docs/api.md#lists). */
export const MAX_PAGE_SIZE = 1000;

/** How a list is asked for by page. */
export interface Paging {
  readonly pageSize: number;
  /**
   * The first request names no page, and pages are only asked for where more may follow. The published description of managed
   * stacks has no query parameters (extended API, Managed), so a gateway may refuse them.
   */
  readonly firstWithoutPage: boolean;
}

/** Told of what a list keeps back. */
type OnGap = ((gap: ListGap) => void) | undefined;

/** A list that comes in one response. @throws StackError `list-incomplete` where its own total says more than it holds */
export async function* readWhole(
  fetchPage: FetchPage,
  path: string,
  onGap?: OnGap,
): AsyncGenerator<readonly ListedRecord[]> {
  const seen = new Set<string>();
  const { total, skipped } = yield* readResponse(fetchPage(), seen, new Set());
  const hidden = skipped?.count ?? 0;
  if (total !== undefined && seen.size + hidden < total) throw incomplete(path, seen.size, total);
  if (hidden > 0) tellGap({ hidden, ids: skipped?.ids ?? [], isChanging: false }, { path, got: seen.size }, onGap);
}

/**
 * A list by limit and offset: every record once, in one request per page. A page can be short or empty with more behind it, as
 * the server leaves out what it cannot show and counts it all the same (docs/api.md#lists): so the total decides where the list
 * ends. Where fewer records came than the server counts, the list is read again for the missing ones.
 * @throws StackError `list-incomplete`; `protocol` where pages are needed, and the stack refuses or ignores them
 */
export async function* readPages(
  fetchPage: FetchPage,
  paging: Paging,
  path: string,
  onGap?: OnGap,
): AsyncGenerator<readonly ListedRecord[]> {
  const seen = new Set<string>();
  let present: ReadonlySet<string> = new Set();
  let last: Pass | undefined;
  for (let passes = 1; ; passes += 1) {
    const pass = yield* readPass(fetchPage, paging, path, seen);
    // Where the list has changed since, what an earlier pass has seen may be gone by now.
    const isSame = !pass.shrank && last?.shrank === false && pass.total === last.total;
    present = isSame ? new Set([...present, ...pass.keys]) : pass.keys;
    last = pass;
    const hidden = Math.max(0, (pass.total ?? 0) - present.size);
    if (hidden === 0 && !pass.shrank) return;
    if (passes < MAX_PASSES) continue;
    if (hidden > 0 && pass.repeats) throw withoutPages(path, present.size);
    tellGap({ hidden, ids: [], isChanging: pass.shrank }, { path, got: present.size }, onGap);
    return;
  }
}

function tellGap(gap: ListGap, { path, got }: { readonly path: string; readonly got: number }, onGap: OnGap): void {
  if (onGap === undefined) throw incomplete(path, got, got + gap.hidden);
  onGap(gap);
}

async function* readPass(
  fetchPage: FetchPage,
  { pageSize, firstWithoutPage }: Paging,
  path: string,
  seen: Set<string>,
): AsyncGenerator<readonly ListedRecord[], Pass> {
  const keys = new Set<string>();
  let least: number | undefined;
  let shrank = false;
  let empty = 0;
  for (let offset = 0; ;) {
    const before = keys.size;
    const isWhole = firstWithoutPage && offset === 0;
    const response = isWhole
      ? fetchPage()
      : needed(fetchPage({ limit: pageSize, offset }), keys.size, path, firstWithoutPage);
    const { count, total, limit } = yield* readResponse(response, seen, keys);
    if (least !== undefined && total !== undefined) shrank ||= total < least;
    if (total !== undefined) least = Math.min(least ?? total, total);
    const size = isWhole ? MAX_PAGE_SIZE : pageSize;
    const end = { keys, total: least, shrank, repeats: false };
    if (count === 0 && total !== undefined) {
      offset += step(0, size, limit) || size;
      empty += 1;
      if (offset >= total) return end;
      if (empty === MAX_EMPTY_PAGES) throw incomplete(path, keys.size, total);
      continue;
    }
    empty = 0;
    // Nothing new: the end, or a server that answers the same page for every offset.
    if (keys.size === before) {
      if (total === undefined && (count >= pageSize || isFull(count, limit))) throw withoutPages(path, keys.size);
      return { ...end, repeats: count > 0 };
    }
    offset += step(count, size, limit);
    const mayGoOn = isFull(count, limit) || (!isWhole && count >= pageSize);
    if (total === undefined ? !mayGoOn : offset >= total) return end;
  }
}

/** Yields the new records of one response. An attempt that was repeated yields some of them twice. */
async function* readResponse(
  response: ReturnType<FetchPage>,
  seen: Set<string>,
  inPass: Set<string>,
): AsyncGenerator<readonly ListedRecord[], Omit<ListResponse, "records">> {
  const keys: string[] = [];
  const unseen = (records: readonly ListedRecord[]): readonly ListedRecord[] =>
    records.filter((record) => {
      const key = keyOf(record);
      keys.push(key);
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  try {
    let next = await response.next();
    for (; next.done !== true; next = await response.next()) {
      const found = unseen(next.value);
      if (found.length > 0) yield found;
    }
    const { records, ...around } = next.value;
    const found = unseen(records.map((value) => ({ value })));
    if (found.length > 0) yield found;
    for (const key of keys) inPass.add(key);
    return around;
  } finally {
    await response.return({ records: [], count: 0 });
  }
}

/**
 * How far a page reached. A server may keep to a smaller page than asked for, and leaves out of a page what it cannot
 * serialise (field notes, Lists), so neither the size asked for nor the number of records alone will do.
 */
function step(count: number, pageSize: number, limit: number | undefined): number {
  return Math.max(count, limit !== undefined && limit <= pageSize ? limit : 0);
}

/** Without a total, a response of exactly as many records as one holds is all that says that more may follow. */
function isFull(count: number, limit: number | undefined): boolean {
  return count === MAX_PAGE_SIZE || (count > 0 && count === limit);
}

/** A page without which the list would be cut short: that it is refused is no fault of the request. */
async function* needed(
  page: ReturnType<FetchPage>,
  got: number,
  path: string,
  firstWithoutPage: boolean,
): ReturnType<FetchPage> {
  try {
    return yield* page;
  } catch (error) {
    if (!firstWithoutPage || !(error instanceof StackError) || error.code !== "rejected") throw error;
    const message = `GET ${path} gave ${counted(got, "record")}, and the stack refused the request for the next ones: ${error.message}`;
    throw new StackError("protocol", message, {
      ...error.failure,
      cause: error,
      hint: NO_MORE,
    });
  }
}

const NO_MORE = "this deployment cannot list more records of this kind; leave the kind out, or ask its operator";

/** A stack that answers the same records for every offset. Without a total, nobody can tell whether there are more. */
function withoutPages(path: string, got: number): StackError {
  const message = `GET ${path} gave ${counted(got, "record")}, and the same ones again when asked for those after them`;
  return new StackError("protocol", message, { method: "GET", path, applied: "no", hint: NO_MORE });
}

/** The id; a record that has none is known by all of it. */
function keyOf({ value }: ListedRecord): string {
  const id = isJsonObject(value) ? value["id"] : undefined;
  return typeof id === "string" ? `id ${id}` : `body ${compactJson(value)}`;
}

function incomplete(path: string, got: number, total: number): StackError {
  return new StackError("list-incomplete", `GET ${path} gave ${counted(got, "record")} of ${total}`, {
    method: "GET",
    path,
    applied: "no",
    hint: "run it again; if the same number is missing again, the server cannot return that record: look into the server's log",
  });
}
