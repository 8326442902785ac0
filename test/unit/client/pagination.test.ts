import { assert, asyncProperty, integer, nat } from "fast-check";
import { describe, expect, test } from "vitest";
import type { ListResponse } from "../../../src/client/envelope.ts";
import type { FetchPage } from "../../../src/client/lists/pagination.ts";
import { readPages, readWhole } from "../../../src/client/lists/pagination.ts";
import { StackError } from "../../../src/core/errors.ts";
import type { JsonValue } from "../../../src/core/json.ts";
import type { ListedRecord } from "../../../src/core/ports.ts";
import { propertyRuns } from "../../support/tries.ts";
import { refusal } from "./support/clients.ts";

const record = (id: number): { readonly id: string } => ({ id: `r${id}` });
const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => record(from + index));

async function collect(pages: AsyncIterable<readonly ListedRecord[]>): Promise<JsonValue[]> {
  const all: JsonValue[] = [];
  for await (const page of pages) all.push(...page.map(({ value }) => value));
  return all;
}

type Page = Omit<ListResponse, "count">;

/** An answer, half of its records handed on as they arrive. */
async function* fetched({ records, ...around }: Page): ReturnType<FetchPage> {
  const half = Math.floor(records.length / 2);
  yield records.slice(0, half).map((value) => ({ value }));
  return { ...around, records: records.slice(half), count: records.length };
}

/** A list on a server: `answer` may spoil what it says. */
function listOf(
  records: () => readonly JsonValue[],
  answer: (honest: Page, offset: number) => Page = (honest) => honest,
) {
  const asked: number[] = [];
  const fetchPage: FetchPage = ({ limit, offset } = { limit: Infinity, offset: 0 }) => {
    asked.push(offset);
    const all = records();
    return fetched(answer({ records: all.slice(offset, offset + limit), total: all.length, limit }, offset));
  };
  return { asked, fetchPage };
}

const paged = (pageSize: number, firstWithoutPage = false) => ({ pageSize, firstWithoutPage });

const withoutTotal = ({ records }: Page): Page => ({ records });

describe("a paged list", () => {
  test("every record comes once, in one request per page", async () => {
    await assert(
      asyncProperty(nat({ max: 60 }), integer({ min: 1, max: 20 }), async (count, pageSize) => {
        const { fetchPage, asked } = listOf(() => range(count));
        await expect(collect(readPages(fetchPage, paged(pageSize), "/x"))).resolves.toEqual(range(count));
        expect(asked).toHaveLength(Math.max(1, Math.ceil(count / pageSize)));
      }),
      propertyRuns(),
    );
  });

  test.each([
    [0, 1],
    [5, 1],
    [10, 2],
    [25, 3],
  ])("without a total, %i records end with the first page that is not full", async (count, requests) => {
    const { fetchPage, asked } = listOf(() => range(count), withoutTotal);
    await expect(collect(readPages(fetchPage, paged(10), "/x"))).resolves.toEqual(range(count));
    expect(asked).toHaveLength(requests);
  });

  test.each([
    ["says so", 4],
    ["does not say so", undefined],
  ])("a server that keeps to smaller pages is followed (it %s)", async (_, limit) => {
    const { fetchPage, asked } = listOf(
      () => range(10),
      ({ records, total }) => ({
        records: records.slice(0, 4),
        ...(total !== undefined && { total }),
        ...(limit !== undefined && { limit }),
      }),
    );
    await expect(collect(readPages(fetchPage, paged(1000), "/x"))).resolves.toEqual(range(10));
    expect(asked).toEqual([0, 4, 8]);
  });

  test("a server that takes no notice of limit and offset is read once", async () => {
    const { fetchPage, asked } = listOf(
      () => range(25),
      () => ({ records: range(25), total: 25, limit: 1000 }),
    );
    await expect(collect(readPages(fetchPage, paged(10), "/x"))).resolves.toEqual(range(25));
    expect(asked).toEqual([0]);
  });

  test("the same page for every offset ends, and is not taken for the whole", async () => {
    const { fetchPage, asked } = listOf(
      () => range(25),
      () => ({ records: range(10), total: 25 }),
    );
    const error = await refusal(collect(readPages(fetchPage, paged(10), "/x")));
    expect(error).toMatchObject({ code: "protocol" });
    expect(error.message).toMatch(/10 records, and returned the same/);
    expect(asked).toHaveLength(6);
  });

  test("the same, where the server names no total", async () => {
    const { fetchPage, asked } = listOf(
      () => range(25),
      () => ({ records: range(10) }),
    );
    await expect(refusal(collect(readPages(fetchPage, paged(10), "/x")))).resolves.toMatchObject({
      code: "protocol",
    });
    expect(asked).toHaveLength(2);
  });

  test("records that repeat on the next page come once, and what they pushed out is read again", async () => {
    let pass = 0;
    const { fetchPage, asked } = listOf(
      () => range(20),
      (honest, offset) => {
        if (offset === 0) pass += 1;
        return pass === 1 && offset === 10 ? { ...honest, records: range(10, 9) } : honest;
      },
    );
    const all = await collect(readPages(fetchPage, paged(10), "/x"));
    expect(all).toHaveLength(20);
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(20);
    expect(asked).toEqual([0, 10, 0, 10]);
  });

  test("records that never come are counted, after three readings", async () => {
    const { fetchPage, asked } = listOf(
      () => range(20),
      ({ records, ...rest }) => ({ ...rest, records: records.slice(1) }),
    );
    const error = await refusal(collect(readPages(fetchPage, paged(10), "/x")));
    expect(error).toMatchObject({ code: "list-incomplete", failure: { path: "/x" } });
    expect(error.message).toMatch(/18.*20/);
    expect(asked).toEqual([0, 10, 0, 10, 0, 10]);
  });

  test("who is not told of gaps gets an error for records that are kept back", async () => {
    const { fetchPage, asked } = listOf(
      () => range(20),
      (honest, offset) => (offset < 10 ? honest : { ...honest, records: [] }),
    );
    await expect(refusal(collect(readPages(fetchPage, paged(10), "/x")))).resolves.toMatchObject({
      code: "list-incomplete",
    });
    expect(asked).toEqual([0, 10, 0, 10, 0, 10]);
  });

  test("records added while it is read are fine, wherever they are added", async () => {
    for (const grow of [(all: JsonValue[]) => all.push(record(99)), (all: JsonValue[]) => all.unshift(record(99))]) {
      const all: JsonValue[] = range(20);
      const { fetchPage, asked } = listOf(
        () => [...all],
        (honest, offset) => {
          if (offset === 0) grow(all);
          return honest;
        },
      );
      const found = await collect(readPages(fetchPage, paged(10), "/x"));
      expect(found).toEqual(expect.arrayContaining(range(20)));
      expect(asked.slice(0, 2)).toEqual([0, 10]);
      expect(asked.filter((offset) => offset === 0)).toHaveLength(1);
    }
  });

  test("a record that slips past because another was deleted is found on a second reading", async () => {
    const all = range(20);
    const { fetchPage } = listOf(
      () => [...all],
      (honest, offset) => {
        if (offset === 0 && all.length === 20) all.shift();
        return honest;
      },
    );
    await expect(collect(readPages(fetchPage, paged(10), "/x"))).resolves.toEqual(expect.arrayContaining(range(20)));
  });

  test("records without an id are kept, each once", async () => {
    const odd: JsonValue[] = [{ name: "a" }, "text", { name: "b" }, null];
    const { fetchPage } = listOf(() => odd);
    await expect(collect(readPages(fetchPage, paged(3), "/x"))).resolves.toEqual(odd);
  });
});

describe("a whole list", () => {
  test("is one request, without a query", async () => {
    const asked: unknown[] = [];
    const pages = readWhole((page) => {
      asked.push(page);
      return fetched({ records: range(3000) });
    }, "/x");
    await expect(collect(pages)).resolves.toHaveLength(3000);
    expect(asked).toEqual([undefined]);
  });

  test("is incomplete where the server counts more", async () => {
    const error = await refusal(collect(readWhole(() => fetched({ records: range(3), total: 5 }), "/x")));
    expect(error.code).toBe("list-incomplete");
    expect(error.message).toMatch(/3.*5/);
  });
});

describe("a list that is first asked for without a page", () => {
  /** A gateway that answers at most a thousand records. `paging`: what it makes of limit and offset. */
  function gateway(count: number, paging: "honoured" | "ignored" | "refused", total: boolean) {
    const asked: (number | undefined)[] = [];
    const fetchPage: FetchPage = (page) => {
      asked.push(page?.offset);
      if (page !== undefined && paging === "refused") return refused();
      const offset = paging === "ignored" ? 0 : (page?.offset ?? 0);
      const records = range(count).slice(offset, offset + Math.min(1000, page?.limit ?? 1000));
      return fetched({ records, ...(total && { total: count }) });
    };
    return { asked, fetchPage };
  }

  // oxlint-disable-next-line require-yield -- it fails before it has anything to yield.
  async function* refused(): ReturnType<FetchPage> {
    throw new StackError("rejected", "Unknown query parameter", {
      method: "GET",
      path: "/x",
      status: 400,
      applied: "no",
    });
  }

  const read = (fetchPage: FetchPage, pageSize = 1000) => collect(readPages(fetchPage, paged(pageSize, true), "/x"));

  test.each([
    [0, [undefined]],
    [999, [undefined]],
    [1000, [undefined, 1000]],
    [1001, [undefined, 1000]],
    [2500, [undefined, 1000, 2000]],
  ])("gives all of %i records, and asks for pages only where more may follow", async (count, asked) => {
    const list = gateway(count, "honoured", false);
    await expect(read(list.fetchPage)).resolves.toEqual(range(count));
    expect(list.asked).toEqual(asked);
  });

  test.each([
    [1000, [undefined]],
    [1001, [undefined, 1000]],
    [2500, [undefined, 1000, 2000]],
  ])("of %i records needs no page past the total that it names", async (count, asked) => {
    const list = gateway(count, "honoured", true);
    await expect(read(list.fetchPage)).resolves.toEqual(range(count));
    expect(list.asked).toEqual(asked);
  });

  test("may come in smaller pages than the first answer", async () => {
    const list = gateway(1250, "honoured", false);
    await expect(read(list.fetchPage, 100)).resolves.toEqual(range(1250));
    expect(list.asked).toEqual([undefined, 1000, 1100, 1200]);
  });

  test("is complete without pages where a gateway refuses them", async () => {
    await expect(read(gateway(999, "refused", false).fetchPage)).resolves.toEqual(range(999));
    await expect(read(gateway(1000, "refused", true).fetchPage)).resolves.toEqual(range(1000));
  });

  test.each([
    [1000, false],
    [1001, false],
    [1001, true],
    [2500, false],
    [2500, true],
  ])("of %i records (total named: %s) ends with a reason where pages are refused", async (count, total) => {
    const error = await refusal(read(gateway(count, "refused", total).fetchPage));
    expect(error).toMatchObject({ code: "protocol", failure: { status: 400 } });
    expect(error.message).toContain("1000 records");
  });

  test.each([
    [1001, 1000, false],
    [2500, 1000, true],
    [2500, 100, false],
  ])("of %i records ends with an error where the offset is ignored (pages of %i)", async (count, pageSize, total) => {
    const { fetchPage } = gateway(count, "ignored", total);
    await expect(refusal(read(fetchPage, pageSize))).resolves.toMatchObject({ code: "protocol" });
  });

  test("is complete where a gateway answers all of it at once, however long", async () => {
    const fetchPage: FetchPage = () => fetched({ records: range(2500) });
    await expect(read(fetchPage)).resolves.toEqual(range(2500));
  });

  test("goes on where the answer is as long as the limit that it names", async () => {
    const asked: (number | undefined)[] = [];
    const fetchPage: FetchPage = (page) => {
      asked.push(page?.offset);
      const offset = page?.offset ?? 0;
      return fetched({ records: range(250).slice(offset, offset + 100), limit: 100 });
    };
    await expect(read(fetchPage)).resolves.toEqual(range(250));
    expect(asked).toEqual([undefined, 100, 200]);
  });
});
