import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../../src/core/plan/journal.ts";
import { openFileJournal } from "../../../src/journal/file-journal.ts";
import { parseJournal } from "../../../src/journal/format.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const repository = (): string => join(temporaryFolder(), "j");
const at = "2026-01-01T00:00:00.000Z";
const done = (number: number): JournalEntry => ({
  type: "done",
  at,
  key: `dashboards/${number}`,
  write: "create",
  targetId: "x",
  content: "",
});
const target = { variant: "self-hosted", baseUrl: "http://stack.test" } as const;
const begin: JournalEntry = {
  type: "begin",
  at,
  format: "stackferry-journal",
  version: 1,
  subject: { contentDigest: "d", target, tags: [] },
};

describe("a journal in a file", () => {
  it("appends entries one after another and many at once", async () => {
    const path = repository();
    {
      await using journal = await openFileJournal(path);
      await journal.append(begin);
      for (let number = 0; number < 20; number += 1) await journal.append(done(number));
      await Promise.all(Array.from({ length: 20 }, (_, number) => journal.append(done(20 + number))));
    }
    await using again = await openFileJournal(path);
    expect(again.entries).toHaveLength(41);
  });
});

it("a line of a journal with more values than a record may hold is not parsed", () => {
  expect(() => parseJournal(`{"type":"begin","x":[${"{},".repeat(80_000)}{}]}\n`, "j")).toThrow(/j, line 1: .*values/);
});

it("a line of a journal that holds the largest record is read", () => {
  const deep = (levels: number): unknown => (levels === 1 ? [] : [deep(levels - 1)]);
  const most = { id: "one", tiles: Array.from({ length: 74_860 }, () => 1), notes: deep(127) };
  const entry = { type: "cascade-loss", at: "2026-01-01T00:00:00Z", key: "dashboards/one", name: "n", body: most };
  const begin = { type: "begin", at: entry.at, format: "stackferry-journal", version: 0, subject: {} };
  expect(() => parseJournal(`${JSON.stringify(entry)}\n${JSON.stringify(begin)}\n`, "j")).not.toThrow(/line 1/);
});

it.each(["PK", '{"type":"end","at":"2026-01-01T00:00:00Z","result":"complete"}'])(
  "the hint for a wrong file (%s) names no flag, because rollback and report take a journal without one",
  (line) => {
    const hint = expect.not.stringContaining("--");
    expect(() => parseJournal(`${line}\n`, "j")).toThrow(expect.objectContaining({ code: "journal", hint }));
  },
);
