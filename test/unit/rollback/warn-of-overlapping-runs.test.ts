import { describe, expect, it } from "vitest";
import type { JournalReplay, RunWrite } from "../../../src/journal/replay.ts";
import { warnOfOverlappingRuns } from "../../../src/rollback/plan.ts";

describe("runs that wrote the same records and are not rolled back", () => {
  /** Makes a replay with writes. Each argument is a record: the numbers of the runs that wrote it, in order. */
  const writtenBy = (...records: readonly (readonly number[])[]): Pick<JournalReplay, "writes"> => ({
    writes: new Map(
      records.map((numbers, index) => [`dashboards/${index}`, numbers.map((run) => ({ run }) as RunWrite)] as const),
    ),
  });
  const codes = (state: Pick<JournalReplay, "writes">, chosen: readonly number[]): [string, string | undefined][] =>
    warnOfOverlappingRuns(state, chosen).map(({ code, message }) => [code, /run (\d+)/.exec(message)?.[1]]);

  it("get a warning each, earlier and later ones", () => {
    expect(codes(writtenBy([1, 2, 3], [2, 3], [3]), [2])).toEqual([
      ["earlier-run", "1"],
      ["later-run", "3"],
    ]);
  });

  it("get no warning if all of them are rolled back, or if they wrote other records", () => {
    expect(codes(writtenBy([1, 2, 3]), [1, 2, 3])).toEqual([]);
    expect(codes(writtenBy([1], [2]), [2])).toEqual([]);
  });

  it("count as later if they lie between two runs that are rolled back", () => {
    expect(codes(writtenBy([1, 2, 3]), [1, 3])).toEqual([["later-run", "2"]]);
  });
});
