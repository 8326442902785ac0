import { pluralize } from "../../core/text/format.ts";
import { StackError } from "../../core/errors.ts";
import { compactJson, isJsonObject } from "../../core/json.ts";
import type { ListGap, ListedRecord } from "../../core/ports.ts";
import type { ListResponse } from "../envelope.ts";
import type { RequestDetails } from "../request.ts";

export type FetchPage = (page?: RequestDetails["query"]) => AsyncGenerator<readonly ListedRecord[], ListResponse>;

interface Pass {
  readonly keys: Set<string>;
  total: number | undefined;
  /** Records were deleted, so later records may have moved to a page that was already read. */
  shrank: boolean;
  /** The last page had records, but no new ones, as from a stack that ignores the offset. */
  repeats: boolean;
}

const MAX_PASSES = 3;

/** After so many empty pages in a row, the list counts as incomplete. */
const MAX_EMPTY_PAGES = 100;

/** The server's maximum (docs/api.md#lists). */
export const MAX_PAGE_SIZE = 1000;

export interface Paging {
  readonly pageSize: number;
  /** A managed stack may refuse page parameters (docs/api.md#lists). */
  readonly firstWithoutPage: boolean;
}

type OnGap = ((gap: ListGap) => void) | undefined;

/** @throws StackError `list-incomplete`; with `onGap`, skipped records are no error */
export async function* readUnpagedList(
  fetchPage: FetchPage,
  path: string,
  onGap?: OnGap,
): AsyncGenerator<readonly ListedRecord[]> {
  const seen = new Set<string>();
  const { total, skipped } = yield* readResponse(fetchPage(), seen, new Set());
  const hidden = skipped?.count ?? 0;
  if (total !== undefined && seen.size + hidden < total) throw incompleteListError(path, seen.size, total);
  if (hidden > 0) tellGap({ hidden, ids: skipped?.ids ?? [], isChanging: false }, { path, got: seen.size }, onGap);
}

/**
 * Reads on after a short page, because pages lack records that the server cannot return (docs/api.md#lists).
 * @throws StackError `list-incomplete`; `protocol` if the stack refuses or ignores page parameters
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
    // If the list has changed, records of earlier passes may no longer exist, so only this pass counts.
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
  if (onGap === undefined) throw incompleteListError(path, got, got + gap.hidden);
  onGap(gap);
}

async function* readPass(
  fetchPage: FetchPage,
  { pageSize, firstWithoutPage }: Paging,
  path: string,
  seen: Set<string>,
): AsyncGenerator<readonly ListedRecord[], Pass> {
  const pass: Pass = { keys: new Set(), total: undefined, shrank: false, repeats: false };
  const { keys } = pass;
  let emptyPages = 0;
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const before = keys.size;
    const isWhole = firstWithoutPage && offset === 0;
    const response = isWhole
      ? fetchPage()
      : fetchNeededPage(fetchPage({ limit: pageSize, offset }), keys.size, path, firstWithoutPage);
    const page = yield* readResponse(response, seen, keys);
    const { count, total } = page;
    noteTotal(pass, total);
    const next = nextOffset(offset, page, pageSize, isWhole);
    const isEmpty = count === 0 && total !== undefined;
    // Without new records, the list has ended, or the server ignores the offset.
    if (keys.size === before && !isEmpty) {
      if (total === undefined && next !== undefined) throw withoutPages(path, keys.size);
      pass.repeats = count > 0;
      return pass;
    }
    emptyPages = isEmpty ? emptyPages + 1 : 0;
    if (isEmpty && emptyPages === MAX_EMPTY_PAGES && next !== undefined) {
      throw incompleteListError(path, keys.size, total);
    }
    offset = next;
  }
  return pass;
}

function noteTotal(pass: Pass, total: number | undefined): void {
  if (total === undefined) return;
  pass.shrank ||= pass.total !== undefined && total < pass.total;
  pass.total = Math.min(pass.total ?? total, total);
}

/** Yields each record once, although a repeated attempt delivers some records twice. */
async function* readResponse(
  response: ReturnType<FetchPage>,
  seen: Set<string>,
  inPass: Set<string>,
): AsyncGenerator<readonly ListedRecord[], Omit<ListResponse, "records">> {
  const keys: string[] = [];
  const unseenRecords = (records: readonly ListedRecord[]): readonly ListedRecord[] =>
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
      const found = unseenRecords(next.value);
      if (found.length > 0) yield found;
    }
    const { records, ...around } = next.value;
    const found = unseenRecords(records.map((value) => ({ value })));
    if (found.length > 0) yield found;
    for (const key of keys) inPass.add(key);
    return around;
  } finally {
    await response.return({ records: [], count: 0 });
  }
}

function nextOffset(
  offset: number,
  { count, total, limit }: Omit<ListResponse, "records">,
  pageSize: number,
  isWhole: boolean,
): number | undefined {
  const next = offset + offsetStep(count, isWhole ? MAX_PAGE_SIZE : pageSize, limit);
  // Without a total, a full page is the only sign that more records may follow.
  const isFull = count === MAX_PAGE_SIZE || (!isWhole && count >= pageSize) || (count > 0 && count === limit);
  const mayFollow = total === undefined ? isFull : next < total;
  return mayFollow ? next : undefined;
}

/** At least the stated limit, because a page lacks records that the server cannot serialise (docs/api.md#lists). */
function offsetStep(count: number, pageSize: number, limit: number | undefined): number {
  return Math.max(count, limit !== undefined && limit <= pageSize ? limit : 0) || pageSize;
}

/** After a first request without page parameters, a refusal means that the deployment lists no more. */
async function* fetchNeededPage(
  page: ReturnType<FetchPage>,
  got: number,
  path: string,
  firstWithoutPage: boolean,
): ReturnType<FetchPage> {
  try {
    return yield* page;
  } catch (error) {
    if (!firstWithoutPage || !(error instanceof StackError) || error.code !== "rejected") throw error;
    const message = `GET ${path} returned ${pluralize(got, "record")}, and the stack refused the request for the next page: ${error.message}`;
    throw new StackError("protocol", message, { ...error.failure, cause: error, hint: NO_MORE });
  }
}

const NO_MORE = "this deployment cannot list more records of this kind; leave the kind out, or ask its operator";

function withoutPages(path: string, got: number): StackError {
  const message = `GET ${path} returned the same ${pluralize(got, "record")} for two pages in a row`;
  return new StackError("protocol", message, { method: "GET", path, applied: "no", hint: NO_MORE });
}

function keyOf({ value }: ListedRecord): string {
  const id = isJsonObject(value) ? value["id"] : undefined;
  return typeof id === "string" ? `id ${id}` : `body ${compactJson(value)}`;
}

function incompleteListError(path: string, got: number, total: number): StackError {
  return new StackError("list-incomplete", `GET ${path} returned ${got} of ${pluralize(total, "record")}`, {
    method: "GET",
    path,
    applied: "no",
    hint: "run again; if the same number is missing again, the server cannot return that record: look into the server's log",
  });
}
