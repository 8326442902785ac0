import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../../../src/core/plan/journal.ts";
import type { StateRecords, RecordState } from "../../../../src/core/plan/state.ts";
import type { RecordKey } from "../../../../src/core/records/record.ts";
import { stateFromJournal } from "../../../../src/import/apply/update-state.ts";
import { replayJournal } from "../../../../src/journal/replay.ts";
import { hexId } from "../../../support/stack-records.ts";

const T1 = hexId("b", 1);
const at = "2026-01-01T00:00:00.000Z";
const digests = (whole: string) => ({ whole, members: { name: "ab" } });
const known: RecordState = {
  targetId: T1,
  name: "One",
  sourceName: "Eins",
  written: false,
  sent: digests("aa"),
  stored: digests("c1"),
};

/** Returns the journal entries of a create that succeeded. */
const created = (key: RecordKey, targetId: string, content: string): JournalEntry[] => [
  { type: "intent", at, key, name: "Made", write: "create", content },
  { type: "done", at, key, write: "create", targetId, content },
];

const remembered = (
  before: readonly (readonly [RecordKey, RecordState])[],
  entries: readonly JournalEntry[],
  identities: Readonly<Record<RecordKey, RecordKey>> = {},
): StateRecords => stateFromJournal(new Map(before), replayJournal(entries), identities);

describe("the state after an interrupted run", () => {
  it("keeps an entry if the run stored the same content, and otherwise drops its earlier digests", () => {
    const own = ["dashboards/a", known] as const;
    expect([...remembered([own], created("dashboards/a", T1, "c1"))]).toEqual([own]);
    expect(remembered([own], created("dashboards/a", T1, "c2")).get("dashboards/a")).toEqual({
      targetId: T1,
      name: "Made",
      sourceName: "Eins",
      written: true,
      lastWrite: "c2",
      stored: { whole: "c2", members: {} },
    });
  });

  it("drops the entry of another record that has the same target id, and leaves the other entries", () => {
    const other = ["dashboards/c", { ...known, targetId: "t3" }] as const;
    const before = [["dashboards/b", known], other, ["alerts/b", known]] as const;
    expect([...remembered(before, created("dashboards/a", T1.toUpperCase(), "c9")).keys()]).toEqual([
      "dashboards/c",
      "alerts/b",
      "dashboards/a",
    ]);
  });

  it("drops the entries of records that the server deleted in a cascade, in either case of the id", () => {
    const before = [
      ["dashboards/b", known],
      ["alerts/b", known],
    ] as const;
    const gone: JournalEntry = {
      type: "cascade-loss",
      at,
      key: `alerts/${T1.toUpperCase()}`,
      name: "One",
      body: { id: T1.toUpperCase() },
    };
    expect([...remembered(before, [gone]).keys()]).toEqual(["dashboards/b"]);
  });
});
