import { describe, expect, it } from "vitest";
import type { JournalEntry, Settled } from "../../../src/core/plan/journal.ts";
import type { RecordKey } from "../../../src/core/records/record.ts";
import { compactJournal } from "../../../src/journal/compact.ts";
import { foldJournal, numberOfNextRun } from "../../../src/journal/fold.ts";
import { partDigest } from "../../../src/references/parts.ts";

const at = "2026-03-01T00:00:00.000Z";
const BOARD: RecordKey = "dashboards/source-1";
const HEADER: JournalEntry = {
  type: "journal",
  format: "stackferry-journal",
  version: 1,
  source: { variant: "self-hosted", baseUrl: "http://a" },
  target: { variant: "self-hosted", baseUrl: "http://b" },
};

const begin = (run: number, more: { undoes?: number; archived?: string } = {}): JournalEntry => {
  return { type: "begin", at, run, ...more };
};
const end: JournalEntry = { type: "end", at };
const imageOf = (tag: string) => {
  return { key: "dashboards/t1" as const, name: "Board", body: { name: "N", tags: [tag] }, digest: tag };
};
const [A, N] = [partDigest(["a"]), partDigest("N")];

function write(
  action: "create" | "update" | "link" | "delete",
  targetId: string,
  settled: Partial<Settled> = {},
  image?: string,
): JournalEntry[] {
  return [
    { type: "intent", at, key: BOARD, name: "Board", write: action, targetId, ...(image && { image: imageOf(image) }) },
    { type: "done", at, key: BOARD, write: action, targetId, content: action === "delete" ? "" : "digest", ...settled },
  ];
}

const partsOf = (entries: readonly JournalEntry[]) => foldJournal(entries).bases.get(BOARD)?.parts;
const sides = (desired: string, stored = desired) => expect.objectContaining({ desired, stored });

describe("the base of a record", () => {
  const created = [
    HEADER,
    begin(1),
    ...write("create", "t1", { parts: { tags: A, name: ["n", N] }, whole: true }),
    end,
  ];
  const updated = [...created, begin(2), ...write("update", "t1", { parts: { tags: "b", name: "m" } }, "a"), end];

  it("is the one before, after an undo, with what the target stored then", () => {
    const undone = [
      ...updated,
      begin(3, { undoes: 2 }),
      ...write("update", "t1", { parts: { tags: [A, "other form"], name: N } }, "x"),
      end,
    ];
    expect(partsOf(undone)).toEqual({ tags: sides(A, "other form"), name: sides("n", N) });
    const again = [
      ...undone,
      begin(4, { undoes: 3 }),
      ...write("update", "t1", { parts: { tags: "b", name: "m" } }, "y"),
      end,
    ];
    expect(partsOf(again)).toEqual({ tags: sides("b"), name: sides("m") });
  });

  it("has the archive from which the write was sent, though only a run with an older one learns what became of it", () => {
    const [sent, done] = write("update", "t1", { parts: { tags: "b" } }, "before");
    const entries = [...created, begin(2, { archived: "2026-02" }), sent, begin(2, { archived: "2026-01" }), done];
    const { bases } = foldJournal(entries.flatMap((entry) => entry ?? []));
    expect(bases.get(BOARD)).toMatchObject({ archived: "2026-02", parts: { tags: { archived: "2026-02" } } });
  });

  it("has the new ids of a record and of its tiles that an undo created again, which is nobody's", () => {
    const withTile = [
      HEADER,
      begin(1),
      ...write("create", "t1", { parts: { "tiles/x1": "a" }, children: { "dashboards/tiles": { s1: "x1" } } }),
      end,
    ];
    const deleted = [...withTile, begin(2), ...write("delete", "t1", {}, "before"), end];
    const back = [
      ...deleted,
      begin(3, { undoes: 2 }),
      ...write("create", "t9", { parts: { "tiles/x9": "a" }, children: { "dashboards/tiles": { x1: "x9" } } }),
      end,
    ];
    expect(foldJournal(back).bases.get(BOARD)).toMatchObject({
      targetId: "t9",
      ours: false,
      parts: { "tiles/x9": sides("a") },
      children: { "dashboards/tiles": { s1: "x9" } },
    });
  });

  it("is nobody's, too, of a record that an undo created again and then linked", () => {
    const deleted = [...created, begin(2), ...write("delete", "t1", {}, "before"), end];
    const back = [...write("create", "t9", { lacksLinks: true }), ...write("link", "t9")];
    const { bases } = foldJournal([...deleted, begin(3, { undoes: 2 }), ...back, end]);
    expect(bases.get(BOARD)).toMatchObject({ targetId: "t9", ours: false });
  });
});

describe("a base of another record of the target", () => {
  const [first, second] = ["t1", "t2"];
  const replaced = [
    HEADER,
    begin(1),
    ...write("create", first, { parts: { tags: A } }),
    end,
    begin(2),
    ...write("create", second, { parts: { tags: A } }),
    end,
  ];

  it("comes back as it was, when the create of the record that replaced it is undone", () => {
    const { bases } = foldJournal([...replaced, begin(3, { undoes: 2 }), ...write("delete", second), end]);
    expect(bases.get(BOARD)).toMatchObject({ targetId: first, ours: true, parts: { tags: sides(A) } });
  });

  it("is forgotten, when its own create is undone", () => {
    const created = replaced.slice(0, 5);
    const { bases } = foldJournal([...created, begin(2, { undoes: 1 }), ...write("delete", first), end]);
    expect(bases.size).toBe(0);
  });
});

describe("the parts of a write that ended otherwise than sent", () => {
  it("are all forgotten, and a part that the next write settles is known again", () => {
    const created = [HEADER, begin(1), ...write("create", "t1", { parts: { tags: A, name: N }, whole: true }), end];
    const lost = [begin(2), ...write("update", "t1", { forgets: true, parts: {} }, "before")];
    expect(foldJournal([...created, ...lost]).bases.get(BOARD)).toMatchObject({ targetId: "t1", parts: {} });
    const next = [end, begin(3), ...write("update", "t1", { parts: { tags: "b" } }, "later"), end];
    expect(partsOf([...created, ...lost, ...next])).toEqual({ tags: sides("b") });
  });
});

describe("the number of the next run", () => {
  const numberAfter = (entries: readonly JournalEntry[], undoes?: number, highest?: number): number =>
    numberOfNextRun(foldJournal([HEADER, ...entries]), undoes, highest);

  it("is the number of a run that was cut short, if the next one goes on with it", () => {
    expect(numberAfter([begin(4)])).toBe(4);
    expect(numberAfter([begin(3), end, begin(4, { undoes: 3 })], 3)).toBe(4);
  });

  it("is a new one after a whole run, and if the run that was cut short did something else", () => {
    expect(numberAfter([begin(4), end])).toBe(5);
    expect(numberAfter([begin(4)], 3)).toBe(5);
    expect(numberAfter([begin(3), end, begin(4, { undoes: 3 })])).toBe(5);
    expect(numberAfter([begin(2), end, begin(3), end, begin(4, { undoes: 3 })], 2)).toBe(5);
  });

  it("is higher than those of the target's other journals", () => {
    expect(numberAfter([begin(4), end], undefined, 9)).toBe(10);
    expect(numberAfter([], undefined, 2)).toBe(3);
  });
});

describe("a compacted journal", () => {
  const runs = Array.from({ length: 60 }, (_, index) => [
    begin(index + 1),
    ...write(index === 0 ? "create" : "update", "t1", { parts: { tags: `v${index}` } }, `image ${index}`),
    end,
  ]).flat();

  it("keeps the last 20 runs line by line, and the base before them", () => {
    const compacted = compactJournal([HEADER, ...runs]) ?? [];
    expect(foldJournal(compacted).bases).toEqual(foldJournal([HEADER, ...runs]).bases);
    expect(foldJournal(compacted).runs.map(({ number }) => number)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 41),
    );
    expect(foldJournal(compacted).writesOf(41)).toMatchObject([{ before: { parts: { tags: sides("v39") } } }]);
  });

  it("keeps the run that a kept rollback undid", () => {
    const undo = [begin(61, { undoes: 30 }), ...write("update", "t1", { parts: { tags: "v28" } }, "x"), end];
    const compacted = compactJournal([HEADER, ...runs, ...undo]) ?? [];
    expect(foldJournal(compacted).runs[0]?.number).toBe(30);
    expect(foldJournal(compacted).bases).toEqual(foldJournal([HEADER, ...runs, ...undo]).bases);
  });

  it("is not made while the journal is short", () => {
    expect(compactJournal([HEADER, ...runs.slice(0, 40)])).toBeUndefined();
  });
});
