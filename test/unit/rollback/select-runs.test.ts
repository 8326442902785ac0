import { describe, expect, it } from "vitest";
import type { JournalRun } from "../../../src/journal/runs.ts";
import type { JournalReplay, RunWrite } from "../../../src/journal/replay.ts";
import { overlapWarnings, selectRuns } from "../../../src/rollback/select-runs.ts";

const runs = [1, 2, 3].map((number) => ({ number }) as JournalRun);

describe("the runs of a journal that are undone", () => {
  it.each([
    ["last", [3]],
    ["all", [1, 2, 3]],
    [1, [1]],
  ] as const)("%s", (choice, expected) => {
    expect(selectRuns({ runs }, choice)).toEqual(expected);
  });

  it.each([0, 4, -1, 1.5])("no run %s is a mistake, and never the last one instead", (choice) => {
    expect(() => selectRuns({ runs }, choice)).toThrow(expect.objectContaining({ code: "usage" }));
  });

  it("are none of a journal without runs", () => {
    expect([selectRuns({ runs: [] }, "last"), selectRuns({ runs: [] }, "all")]).toEqual([[], []]);
  });
});

describe("runs that wrote the same records and are not undone", () => {
  /** By record: the numbers of the runs that wrote it, in turn. */
  const writtenBy = (...records: readonly (readonly number[])[]): Pick<JournalReplay, "writes"> => ({
    writes: new Map(
      records.map((numbers, index) => [`dashboards/${index}`, numbers.map((run) => ({ run }) as RunWrite)] as const),
    ),
  });
  const codes = (state: Pick<JournalReplay, "writes">, chosen: readonly number[]): [string, string | undefined][] =>
    overlapWarnings(state, chosen).map(({ code, message }) => [code, /run (\d+)/.exec(message)?.[1]]);

  it("are named, those before and those after, in their order", () => {
    expect(codes(writtenBy([1, 2, 3], [2, 3], [3]), [2])).toEqual([
      ["earlier-run", "1"],
      ["later-run", "3"],
    ]);
  });

  it("are none where all of them are undone, or wrote other records", () => {
    expect(codes(writtenBy([1, 2, 3]), [1, 2, 3])).toEqual([]);
    expect(codes(writtenBy([1], [2]), [2])).toEqual([]);
  });

  it("count as later between two that are undone: what they wrote is left alone", () => {
    expect(codes(writtenBy([1, 2, 3]), [1, 3])).toEqual([["later-run", "2"]]);
  });
});
