import { describe, expect, it } from "vitest";
import { probeSources, type QueriedSource } from "../../../../src/cli/doctor/examine.ts";
import { sources } from "../../../../src/kinds/sources.ts";
import type { JsonObject } from "../../../support/import-stage.ts";
import { memoryStack, refusalError, type MemoryStack } from "../../../support/memory-stack.ts";
import { hexId, source, targetIds } from "../../../support/stack-records.ts";

const there = (number: number, name: string): JsonObject => source(hexId("b", number), name, hexId("c", 2), name);

/** Creates a stack that gives these responses to queries of its sources, in this order. */
function target(...answers: (() => JsonObject)[]): MemoryStack {
  const sources = answers.map((_, index) => there(index + 1, `S${index + 1}`));
  const stack = memoryStack({ dashboards: [], alerts: [], sources });
  let queries = 0;
  stack.client.querySeries = async () => {
    queries += 1;
    return answers[queries - 1]?.() ?? {};
  };
  return stack;
}
const NOW = Date.UTC(2026, 0, 1);
const probed = async ({ client }: MemoryStack) => {
  const listed: QueriedSource[] = [];
  for await (const page of client.list(sources))
    for (const { value } of page) listed.push({ kind: sources, body: value as JsonObject });
  return probeSources(listed, client, NOW, { events: () => {} });
};
const fail = (error: Error) => () => {
  throw error;
};

describe("a probe", () => {
  it("says of each source of the stack whether it has data", async () => {
    const stack = target(
      () => ({
        data: [
          { ts_bucket: 7, series_0: "0" },
          { ts_bucket: 8, series_0: "3" },
        ],
      }),
      () => ({ data: [{ ts_bucket: 7, series_0: 0 }] }),
      fail(refusalError("rejected", "no such table")),
    );
    expect((await probed(stack)).map(({ name, id, status, code }) => [name, id, status, code])).toEqual([
      ["S1", hexId("b", 1), "data", undefined],
      ["S2", hexId("b", 2), "empty", undefined],
      ["S3", hexId("b", 3), "failed", "rejected"],
    ]);
  });

  it("takes no other number, nor an answer of another form, for data", async () => {
    const stack = target(
      () => ({ data: [{ ts_bucket: 7 }] }),
      () => ({ data: { series_0: 5 } }),
      () => ({ data: [7, "x", null] }),
    );
    expect((await probed(stack)).map(({ status }) => status)).toEqual(["empty", "empty", "empty"]);
  });

  it("counts the rows of the last day, up to now, in one series without groups", async () => {
    const stack = target(() => ({}));
    const sentQueries: unknown[] = [];
    stack.client.querySeries = async (query) => {
      sentQueries.push(query);
      return {};
    };
    await probed(stack);
    const series = [{ sourceId: targetIds.source, aggFn: "count", where: "", whereLanguage: "lucene", groupBy: [] }];
    const [startTime, endTime] = [Date.UTC(2025, 11, 31), NOW];
    expect(sentQueries).toEqual([{ startTime, endTime, granularity: "1h", series }]);
  });

  it("does not ask a source of metrics, because the query would have to name a metric", async () => {
    const stack = memoryStack({ dashboards: [], alerts: [], sources: [{ ...there(1, "S1"), kind: "metric" }] });
    stack.client.querySeries = async () => {
      throw new Error("nothing is to be queried");
    };
    expect(await probed(stack)).toEqual([{ name: "S1", id: hexId("b", 1), status: "not-asked" }]);
  });

  it("ends where the user interrupts it", async () => {
    const interrupted = Object.assign(refusalError("rejected", "stop"), { code: "interrupted" });
    await expect(probed(target(fail(interrupted)))).rejects.toBe(interrupted);
  });

  it("ends where something else than a source fails", async () => {
    await expect(probed(target(fail(new TypeError("a bug"))))).rejects.toThrow("a bug");
  });
});
