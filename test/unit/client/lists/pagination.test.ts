import { assert, asyncProperty, integer, nat } from "fast-check";
import { describe, expect, it } from "vitest";
import { readPages, readUnpagedList, type FetchPage } from "../../../../src/client/lists/pagination.ts";
import { StackError } from "../../../../src/core/errors.ts";
import type { JsonValue } from "../../../../src/core/json.ts";
import type { ListGap } from "../../../../src/core/ports.ts";
import { refusalError } from "../../../support/memory-stack.ts";
import { propertyRuns } from "../../../support/tries.ts";

/** A server's response to one request of a list. */
interface ListPage {
  readonly records: readonly JsonValue[];
  readonly total?: number;
  readonly limit?: number;
  readonly skipped?: { readonly count: number; readonly ids: readonly string[] };
}

/** The result of reading a list: its records, the requested offsets, and the code of its error. */
interface ListReading {
  readonly records: readonly JsonValue[];
  readonly asked: readonly (number | undefined)[];
  readonly code?: string;
  readonly message?: string;
  /** The request that failed. */
  readonly failure?: unknown;
  /** The gap in the list that was reported to the reader. */
  readonly gap?: ListGap;
}

/** Makes the server's response from the offset (undefined if no page was requested) and the number of the request. */
type Answer = (offset: number | undefined, request: number) => ListPage;

/** Reads a paged list. @param isTold true if the reader receives gaps; otherwise a gap is an error */
function readPagedList(
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

/** Reads a list whose first request has no page parameters. */
function readGatewayList(pageSize: number, answer: Answer): Promise<ListReading> {
  return readList((fetchPage) => readPages(fetchPage, { pageSize, firstWithoutPage: true }, "/list"), answer);
}

/** Reads a list that comes in one response. */
function readWholeList(answer: ListPage): Promise<ListReading> {
  return readList(
    (fetchPage, onGap) => readUnpagedList(fetchPage, "/list", onGap),
    () => answer,
  );
}

async function readList(
  read: (fetchPage: FetchPage, onGap: (gap: ListGap) => void) => ReturnType<typeof readUnpagedList>,
  answer: Answer,
): Promise<ListReading> {
  const asked: (number | undefined)[] = [];
  const records: JsonValue[] = [];
  let gap: ListGap | undefined;
  const fetchPage: FetchPage = async function* answered(page) {
    asked.push(page?.offset);
    const { records: all, ...around } = answer(page?.offset, asked.length);
    // As from a stream, the first record arrives early, and the others arrive with the end of the response.
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

const record = (number: number): { readonly id: string } => ({ id: `r${number}` });
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => record(from + index));
const idsOf = (records: readonly unknown[]): string[] => records.map((each) => (each as { id: string }).id);

/** Returns the page of a list that a correct server would return. */
const pageOf = (all: readonly { id: string }[], offset: number, size: number, total = all.length): ListPage => ({
  records: all.slice(offset, offset + size),
  total,
  limit: size,
});

/** The settings of reading a list from a correct server. */
interface Reading {
  /** The server's page size, in records; 3 by default. */
  readonly size?: number;
  /** The requested page size; by default the server's. */
  readonly asked?: number;
  /** The total that the server states; by default the number of its records. */
  readonly total?: (offset: number) => number;
  /** Ids of records that are on no page. */
  readonly hidden?: readonly string[];
  /** Called before each response. */
  readonly before?: (request: number, offset: number) => void;
}

function read(all: readonly { id: string }[], { size = 3, asked = size, total, hidden = [], before }: Reading = {}) {
  return readPagedList(asked, (offset, request) => {
    before?.(request, offset);
    const page = pageOf(all, offset, size, total?.(offset));
    return { ...page, records: page.records.filter((each) => !hidden.includes(idsOf([each])[0] ?? "")) };
  });
}

describe("a list that is not paged", () => {
  const whole = (records: ReturnType<typeof range>) => ({ records, asked: [undefined] });

  it("is refused with fewer records than its total, and accepted with as many or more", async () => {
    expect(await readWholeList({ records: range(0, 4), total: 5 })).toMatchObject({ code: "list-incomplete" });
    for (const total of [5, 4, 0])
      expect(await readWholeList({ records: range(0, 5), total })).toEqual(whole(range(0, 5)));
  });

  it("counts a repeated record once", async () => {
    const twice = [...range(0, 4), record(0)];
    expect(await readWholeList({ records: twice, total: 5 })).toMatchObject({ code: "list-incomplete" });
    expect(await readWholeList({ records: twice, total: 4 })).toEqual(whole(range(0, 4)));
  });

  it("reports the records that the answer names as skipped and is complete", async () => {
    const skipped = { count: 2, ids: ["s1", "s2"] };
    const found = await readWholeList({ records: range(0, 3), skipped });
    expect(found).toMatchObject({ records: range(0, 3), gap: { hidden: 2, ids: ["s1", "s2"] } });
    expect(await readWholeList({ records: range(0, 3), total: 5, skipped })).not.toHaveProperty("code");
  });
});

describe("a paged list", () => {
  it("gives every record once, with one request per page", async () => {
    await assert(
      asyncProperty(nat({ max: 60 }), integer({ min: 1, max: 20 }), async (count, size) => {
        const found = await read(range(0, count), { size });
        expect(found.records).toEqual(range(0, count));
        expect(found.asked).toHaveLength(Math.max(1, Math.ceil(count / size)));
      }),
      propertyRuns(),
    );
  });

  it("is refused as incomplete if records are missing and the reader does not accept gaps", async () => {
    const found = await readPagedList(3, (offset) => pageOf(range(0, 3), offset, 3, 6), false);
    expect(found).toMatchObject({ code: "list-incomplete", asked: [0, 3, 0, 3, 0, 3], failure: { path: "/list" } });
    expect(found.message).toContain("3 of 6");
  });

  it("is read once if the server ignores paging and answers the whole list", async () => {
    const found = await readPagedList(10, () => ({ records: range(0, 25), total: 25, limit: 1000 }));
    expect(found).toEqual({ records: range(0, 25), asked: [0] });
  });

  it("reports the number of missing records after three readings that agree", async () => {
    const found = await read(range(0, 8), { total: () => 9 });
    expect(found).toMatchObject({ records: range(0, 8), gap: { hidden: 1, isChanging: false } });
    expect(found.asked.filter((offset) => offset === 0)).toHaveLength(3);
  });

  it.each([2, 3])(
    "is complete without repeated records if the missing record appears in reading %i",
    async (reading) => {
      const hidden = ["r1"];
      let readings = 0;
      const before = (_request: number, offset: number): void => {
        if (offset === 0 && (readings += 1) === reading) hidden.length = 0;
      };
      const found = await read(range(0, 6), { hidden, before });
      expect(found.code).toBeUndefined();
      expect(idsOf(found.records).toSorted()).toEqual(idsOf(range(0, 6)));
      expect(readings).toBe(reading);
    },
  );

  it("is read again if it shrinks between pages, and gives the records that the offset skipped", async () => {
    const all = range(0, 9);
    const found = await read(all, { before: (request) => request === 2 && all.splice(0, 2) });
    expect(found.code).toBeUndefined();
    expect(idsOf(found.records).toSorted()).toEqual(idsOf(range(0, 9)));
    expect(found.asked).toEqual([0, 3, 6, 0, 3, 6]);
  });

  it("is read again if it shrinks, even if the number of records equals the new total", async () => {
    // r0 is deleted after the first page, so r3 moves to that page and is missed. Six records came and six are left, so only the
    // changed total shows that one was missed.
    const all = range(0, 7);
    const found = await read(all, { before: (request) => request === 2 && all.splice(0, 1) });
    expect(idsOf(found.records)).toContain("r3");
  });

  it("reports a missing record even if another record was deleted between two pages", async () => {
    // The reader gets r0 to r5 without r4; the server still has r1 to r5. Both are five records, although the reader lacks r4.
    const all = range(0, 6);
    const found = await read(all, { hidden: ["r4"], before: (request) => request === 2 && all.splice(0, 1) });
    expect(found.gap).toMatchObject({ hidden: 1, isChanging: false });
  });

  it("reports a missing record even if another record is deleted between two readings", async () => {
    const all = range(0, 6);
    const found = await read(all, { hidden: ["r4"], before: (request) => request === 3 && all.splice(0, 1) });
    expect(found.gap).toMatchObject({ hidden: 1 });
  });

  it("is reported as changing if it shrinks in each of three readings", async () => {
    const all = range(0, 30);
    const found = await read(all, { size: 10, before: (_, offset) => offset > 0 && all.pop() });
    expect(found.gap).toMatchObject({ isChanging: true });
    expect(found.asked.filter((offset) => offset === 0)).toHaveLength(3);
  });

  it("is not read again if it grows", async () => {
    const all = range(0, 6);
    const found = await read(all, { before: (request) => request === 2 && all.push(record(6)) });
    expect(found).toEqual({ records: range(0, 7), asked: [0, 3, 6] });
  });

  it("continues after a page with some repeated records", async () => {
    const all = range(0, 8);
    const found = await read(all, { before: (request) => request === 2 && all.unshift(record(99)) });
    expect(found.code).toBeUndefined();
    expect(found.records).toEqual(expect.arrayContaining(range(0, 8)));
  });

  it("continues past empty pages to its end and reports the missing records", async () => {
    const found = await read(range(0, 7), { size: 1, hidden: ["r1", "r2", "r6"] });
    expect(idsOf(found.records)).toEqual(["r0", "r3", "r4", "r5"]);
    expect(found.gap).toMatchObject({ hidden: 3 });
    expect(found.asked.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it("steps by the requested page size after an empty page without a page size", async () => {
    const answer = (offset: number): ListPage => ({ records: offset === 2 ? [] : range(offset, offset + 2), total: 6 });
    const found = await readPagedList(2, answer);
    expect(idsOf(found.records)).toEqual(["r0", "r1", "r4", "r5"]);
    expect(found.gap).toMatchObject({ hidden: 2 });
  });

  it("ends after many empty pages if the total is impossibly large", async () => {
    const found = await readPagedList(1000, (offset) => ({ records: range(0, offset === 0 ? 1 : 0), total: 2 ** 50 }));
    expect(found.code).toBe("list-incomplete");
    expect(found.asked.length).toBeLessThan(500);
  });

  it.each([
    ["deleted", 6, 5],
    ["added", 5, 6],
  ])("uses the smallest reported total: a record that was %s between two pages is no gap", async (_, first, later) => {
    const found = await read(range(0, 5), { total: (offset) => (offset === 0 ? first : later) });
    expect([found.code, found.gap?.hidden ?? 0]).toEqual([undefined, 0]);
    expect(found.records).toEqual(range(0, 5));
  });

  it("ends at a page that repeats another page, and is refused as incomplete", async () => {
    const found = await readPagedList(3, (offset) => pageOf(range(0, 9), Math.min(offset, 3), 3));
    expect(found).toMatchObject({ code: "protocol", records: range(0, 6) });
    expect(found.asked).toEqual([0, 3, 6, 0, 3, 6, 0, 3, 6]);
  });

  it("without a total is refused if a full page repeats, and ends at a page that is not full", async () => {
    const withoutTotal = ({ records }: ListPage): ListPage => ({ records });
    const same = await readPagedList(3, () => ({ records: range(0, 3) }));
    expect(same).toMatchObject({ code: "protocol", asked: [0, 3] });
    const short = await readPagedList(3, (offset) => withoutTotal(pageOf(range(0, 5), offset, 3)));
    expect(short).toEqual({ records: range(0, 5), asked: [0, 3] });
    const even = await readPagedList(3, (offset) => withoutTotal(pageOf(range(0, 6), offset, 3)));
    expect(even).toEqual({ records: range(0, 6), asked: [0, 3, 6] });
  });

  it("steps by the server's page size, even if a page omits records", async () => {
    const found = await read(range(0, 9), { asked: 100, total: () => 8, hidden: ["r4"] });
    expect(found).toEqual({ records: range(0, 9).filter(({ id }) => id !== "r4"), asked: [0, 3, 6] });
  });

  it("steps by the number of records received if a smaller page names no page size", async () => {
    const found = await readPagedList(100, (offset) => ({ ...pageOf(range(0, 10), offset, 4), limit: undefined }));
    expect(found).toEqual({ records: range(0, 10), asked: [0, 4, 8] });
  });

  it("does not skip records if the server reports a larger page size than requested", async () => {
    const found = await readPagedList(3, (offset) => ({ ...pageOf(range(0, 7), offset, 3), limit: 1000 }));
    expect(found).toEqual({ records: range(0, 7), asked: [0, 3, 6] });
  });

  it("compares records without an id by their whole content", async () => {
    const odd = [{ name: "a" }, { name: "b" }, { id: 1 }, { id: 2 }];
    const found = await readPagedList(2, (offset) => ({ records: odd.slice(offset, offset + 2), total: 4 }));
    expect(found).toEqual({ records: odd, asked: [0, 2] });
  });
});

describe("a list that is first requested without paging, from a gateway that answers at most 1000 records", () => {
  type Paging = "honoured" | "ignored" | "refused";

  /** @param paging how the gateway treats limit and offset @param isCounted whether it states the total */
  const readGateway = (count: number, paging: Paging, isCounted: boolean, pageSize = 1000) =>
    readGatewayList(pageSize, (offset) => {
      if (offset !== undefined && paging === "refused") throw refusalError("rejected", "Unknown query parameter");
      const start = paging === "ignored" ? 0 : (offset ?? 0);
      const size = offset === undefined ? 1000 : pageSize;
      return { records: range(start, Math.min(start + size, count)), ...(isCounted && { total: count }) };
    });

  it.each<[count: number, paging: Paging, isCounted: boolean, pageSize: number, asked: unknown[]]>([
    [0, "honoured", false, 1000, [undefined]],
    [999, "honoured", false, 1000, [undefined]],
    [1000, "honoured", false, 1000, [undefined, 1000]],
    [1001, "honoured", false, 1000, [undefined, 1000]],
    [2500, "honoured", false, 1000, [undefined, 1000, 2000]],
    [1250, "honoured", false, 100, [undefined, 1000, 1100, 1200]],
    [1000, "honoured", true, 1000, [undefined]],
    [1001, "honoured", true, 1000, [undefined, 1000]],
    [2500, "honoured", true, 1000, [undefined, 1000, 2000]],
    [999, "refused", false, 1000, [undefined]],
    [1000, "refused", true, 1000, [undefined]],
  ])(
    "is complete: %i records, pages %s, total named: %s, pages of %i",
    async (count, paging, isCounted, size, asked) => {
      expect(await readGateway(count, paging, isCounted, size)).toEqual({ records: range(0, count), asked });
    },
  );

  it.each<[count: number, paging: Paging, isCounted: boolean, pageSize: number]>([
    [1000, "refused", false, 1000],
    [1001, "refused", false, 1000],
    [1001, "refused", true, 1000],
    [2500, "refused", true, 1000],
    [1001, "ignored", false, 1000],
    [2500, "ignored", true, 1000],
    [2500, "ignored", false, 100],
  ])("is refused: %i records, pages %s, total named: %s, pages of %i", async (count, paging, isCounted, size) => {
    const found = await readGateway(count, paging, isCounted, size);
    expect(found).toMatchObject({ code: "protocol", records: range(0, 1000), failure: { method: expect.any(String) } });
    expect(found.message).toContain("1000 records");
  });

  it("is complete if the first answer has all records, however many", async () => {
    const found = await readGatewayList(1000, () => ({ records: range(0, 2500) }));
    expect(found).toEqual({ records: range(0, 2500), asked: [undefined] });
  });

  it("continues if an answer has as many records as the limit that it names", async () => {
    const found = await readGatewayList(1000, (offset = 0) => ({
      records: range(offset, Math.min(offset + 100, 250)),
      limit: 100,
    }));
    expect(found).toEqual({ records: range(0, 250), asked: [undefined, 100, 200] });
  });
});
