import { describe, expect, it } from "vitest";
import { parseJournal } from "../../../src/journal/format.ts";
import { beginEntry, headerEntry, intentEntry, journalPath, openJournal } from "../../support/journal-file.ts";

describe("a journal in a file", () => {
  it("appends entries one after another and many at once", async () => {
    const path = journalPath();
    {
      await using journal = await openJournal(path);
      await journal.append(beginEntry);
      for (let number = 0; number < 20; number += 1) await journal.append(intentEntry(number));
      await Promise.all(Array.from({ length: 20 }, (_, number) => journal.append(intentEntry(20 + number))));
    }
    await using again = await openJournal(path);
    expect(again.entries).toHaveLength(42);
  });
});

const header = `${JSON.stringify(headerEntry)}\n`;

it("a line of a journal with more values than a record may hold is not parsed", () => {
  const line = `{"type":"begin","x":[${"{},".repeat(320_000)}{}]}\n`;
  expect(() => parseJournal(`${header}${line}`, "j")).toThrow(/j, line 2: .*values/);
});

it("a line of a journal that holds the largest record is read", () => {
  const deep = (levels: number): unknown => (levels === 1 ? [] : [deep(levels - 1)]);
  const most = { id: "one", tiles: Array.from({ length: 74_860 }, () => 1), notes: deep(127) };
  const image = { key: "dashboards/one", name: "n", body: most, digest: "d" };
  const entry = { ...intentEntry(1), write: "update", image };
  expect(parseJournal(`${header}${JSON.stringify(entry)}\n`, "j").entries).toHaveLength(2);
});

it.each(["PK", '{"type":"end","at":"2026-01-01T00:00:00Z"}'])(
  "the hint for a wrong file (%s) names no flag, because the file was not given with one",
  (line) => {
    const hint = expect.not.stringContaining("--");
    expect(() => parseJournal(`${line}\n`, "j")).toThrow(expect.objectContaining({ code: "journal", hint }));
  },
);
