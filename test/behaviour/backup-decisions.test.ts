import { describe, expect, it } from "vitest";
import { refuse } from "../support/memory-stack.ts";
import { spanOf, stackContent, storedBackups } from "../support/stored-backups.ts";

describe("a repository that fails while an archive is fetched", () => {
  it("ends the check with its error: the archive is neither gone nor damaged", async () => {
    const bench = await storedBackups();
    await bench.backup();
    bench.before = (step) => {
      if (step.startsWith("fetch")) throw refuse("unauthorized", "the key was refused");
    };
    await expect(bench.check()).rejects.toMatchObject({ code: "unauthorized" });
    await expect(bench.choose("latest")).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("ends a prune with it, and nothing is removed", async () => {
    const bench = await storedBackups();
    for (const name of ["first", "second"]) await bench.backup({ records: stackContent(name) });
    bench.before = (step) => {
      if (step.startsWith("fetch")) throw refuse("unauthorized", "the key was refused");
    };
    await expect(bench.prune({ last: 1 })).rejects.toMatchObject({ code: "unauthorized" });
    expect(await bench.archives()).toHaveLength(2);
  });
});

describe("a prune that keeps everything", () => {
  it("reads no archive", async () => {
    const bench = await storedBackups();
    for (const name of ["first", "second"]) await bench.backup({ records: stackContent(name) });
    bench.read.length = 0;
    expect((await bench.prune({ last: 2 })).map(({ action, reasons }) => [action, reasons])).toEqual([
      ["keep", ["last"]],
      ["keep", ["last"]],
    ]);
    expect(bench.read).toEqual([]);
  });
});

describe("a stretch of the calendar", () => {
  const nothing = { years: 0, months: 0, days: 0, hours: 0 };

  it.each([
    ["1y5m7d2h", { years: 1, months: 5, days: 7, hours: 2 }],
    ["2y", { ...nothing, years: 2 }],
    ["3m", { ...nothing, months: 3 }],
    ["14d", { ...nothing, days: 14 }],
    [" 36h ", { ...nothing, hours: 36 }],
    ["1y2h", { ...nothing, years: 1, hours: 2 }],
  ])("is read from %j", (text, expected) => {
    expect(spanOf(text)).toEqual(expected);
  });

  it.each(["", "0d", "5", "d", "1d1y", "7d later", "last 7d", "-1d", "1.5d", "1w", "10000y"])(
    "is not what %j says",
    (text) => {
      expect(spanOf(text)).toBeUndefined();
    },
  );
});
