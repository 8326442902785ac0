import { describe, expect, it } from "vitest";
import type { EntryOf } from "../../../src/core/plan/journal.ts";
import type { RecordKey } from "../../../src/core/records/record.ts";
import {
  bodiesSentTo,
  importStage,
  outcomeOf,
  type JournalEntry,
  type JsonObject,
  type RunOptions,
  type StackRecord,
} from "../../support/import-stage.ts";
import { deleteRecord, type MemoryStack } from "../../support/memory-stack.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  records,
  source,
  sqlDashboard,
  targetIds,
  tileWith,
  webhook,
} from "../../support/stack-records.ts";
import { fromOtherStack, logs, theirLogs, usualTarget } from "../../support/import-samples.ts";

const [ONE, TWO] = [hexId("a", 16), hexId("a", 17)];
const [THEIR_ONE, OTHER, THIRD] = [hexId("b", 16), hexId("b", 17), hexId("b", 18)];
/** A source of the target under another name. */
const RENAMED = hexId("b", 2);
const PAGER = hexId("b", 3);

const theirs = (id: string, name: string): JsonObject => dashboard(id, name, targetIds.source);
const onto = (seed: Readonly<Record<string, readonly JsonObject[]>> = {}): MemoryStack =>
  usualTarget({
    dashboards: [theirs(THEIR_ONE, "One"), theirs(OTHER, "Other"), theirs(THIRD, "Third")],
    sources: [theirLogs, source(RENAMED, "Renamed", hexId("c", 3), "t2")],
    webhooks: [webhook(PAGER, "pager")],
    ...seed,
  });
const ours = {
  sources: [logs],
  dashboards: [dashboard(ONE, "One", archiveIds.source), dashboard(TWO, "Two", archiveIds.source)],
};

interface Given {
  readonly stack?: MemoryStack;
  readonly archive?: readonly StackRecord[];
  /** What else the journal has noted of each record. */
  readonly noted?: Partial<EntryOf<"seen">>;
}

/** Runs an import with a journal in which an earlier import has noted these records. */
async function run(
  targetIdsByKey: Readonly<Record<RecordKey, string>>,
  options: RunOptions = {},
  { stack = onto(), archive = records(ours), noted = {} }: Given = {},
) {
  const stage = importStage(stack);
  const at = "2026-01-01T00:00:00.000Z";
  const seen = Object.entries(targetIdsByKey).map(([key, targetId]): JournalEntry => {
    return { type: "seen", key: key as RecordKey, name: "", targetId, parts: {}, ...noted };
  });
  stage.history.push({ type: "begin", at, run: 1 }, ...seen, { type: "end", at });
  return stage.run(archive, { ...fromOtherStack, ...options });
}

describe("a record that the journal knows", () => {
  it("gives way to the map file's line for it, and to a line that gives its counterpart to another record", async () => {
    const known = { [`dashboards/${ONE}`]: OTHER } as const;
    const ofOne = await run(known, { mapping: { dashboards: { One: THIRD } } });
    expect(outcomeOf(ofOne, "One")).toMatchObject({ action: "skip", targetId: THIRD });
    const ofTwo = await run(known, { mapping: { dashboards: { Two: OTHER } } });
    expect(["Two", "One"].map((name) => outcomeOf(ofTwo, name)?.targetId)).toEqual([OTHER, THEIR_ONE]);
  });

  it("is created, and overwrites nothing, if the map file gives its counterpart to another record", async () => {
    const stack = onto();
    deleteRecord(stack, "dashboards", "One");
    const options = { mapping: { dashboards: { Two: OTHER } }, onConflict: "overwrite" } as const;
    const done = await run({ [`dashboards/${ONE}`]: OTHER }, options, { stack });
    expect(outcomeOf(done, "One")).toMatchObject({ action: "create", status: "done" });
    expect(outcomeOf(done, "One")?.targetId).not.toBe(OTHER);
    expect(bodiesSentTo(stack, "create dashboards")).toHaveLength(1);
  });

  it("is listed as a match with both names, and the connection's match is inferred from it", async () => {
    const connection = (number: number, name: string): JsonObject => ({
      id: hexId("c", number),
      name,
      host: "http://db",
    });
    const stack = onto({ dashboards: [], connections: [connection(2, "Other"), connection(3, "Theirs")] });
    const archive = records({
      ...ours,
      connections: [connection(1, "Main")],
      dashboards: [sqlDashboard(ONE, hexId("c", 1)), dashboard(TWO, "Two", archiveIds.source)],
    });
    const { plan } = await run({ [`sources/${archiveIds.source}`]: RENAMED }, {}, { stack, archive });
    const [from, to] = [archiveIds.source, RENAMED];
    expect(plan.matches).toMatchObject([
      { from, to, name: "Logs", targetName: "Renamed", rule: "journal" },
      { space: "connections", to: hexId("c", 3), name: "Main", targetName: "Theirs", rule: "inferred" },
    ]);
    const sent = JSON.stringify(bodiesSentTo(stack, "create dashboards"));
    expect(sent).toContain(`"connectionId":"${hexId("c", 3)}"`);
    expect(sent).toContain(`"sourceId":"${RENAMED}"`);
  });

  it("reserves a webhook: an alert that needs another one of this name is blocked", async () => {
    const [oncall, pager] = [webhook(hexId("a", 3), "oncall"), webhook(hexId("a", 4), "pager")];
    const busy = alert(hexId("a", 32), "Busy", ours.dashboards[0] ?? {}, hexId("a", 4));
    const archive = records({ ...ours, webhooks: [oncall, pager], alerts: [busy] });
    const done = await run({ [`webhooks/${hexId("a", 3)}`]: PAGER }, {}, { archive });
    expect(outcomeOf(done, "Busy")).toMatchObject({ code: "missing-reference" });
  });

  it("reserves its target record, so that another record is not matched with it by name", async () => {
    const sources = [...ours.sources, source(hexId("a", 2), "Renamed", hexId("c", 1), "t9")];
    const archive = records({ ...ours, sources });
    const { plan } = await run({ [`sources/${archiveIds.source}`]: RENAMED }, {}, { archive });
    const matches = plan.matches.filter(({ space }) => space === "sources").map(({ from, to }) => [from, to]);
    expect(matches).toEqual([[archiveIds.source, RENAMED]]);
  });
});

it.each([
  ["is matched under another name while its dashboard is the one that the journal knows", THEIR_ONE, true],
  ["is not matched once its dashboard is another one", hexId("b", 99), false],
])("a tile that the journal knows %s", async (_, knownDashboard, isMatched) => {
  const tile = (id: string, name: string): JsonObject =>
    tileWith(id, name, { displayType: "line", sourceId: targetIds.source, select: [{ aggFn: "count", alias: name }] });
  const board = (id: string, ...tiles: JsonObject[]): JsonObject => dashboard(id, "One", "", { tiles });
  const [first, second, renamed, added] = [hexId("d", 1), hexId("d", 2), hexId("e", 1), hexId("e", 2)];
  const here = board(ONE, tile(first, "First"), tile(second, "Second"));
  const there = board(THEIR_ONE, tile(added, "New"), tile(renamed, "Renamed"));
  const watching = { ...alert(hexId("a", 32), "Busy", here, hexId("a", 3)), tileId: first };
  const webhooks = [webhook(hexId("a", 3), "pager")];
  const archive = records({ ...ours, dashboards: [here], webhooks, alerts: [watching] });
  const stack = onto({ dashboards: [there, theirs(OTHER, "Other")] });
  const noted = { children: { "dashboards/tiles": { [first]: renamed } } };
  await run({ [`dashboards/${ONE}`]: knownDashboard }, {}, { stack, archive, noted });
  const sent = bodiesSentTo(stack, "create alerts").map(({ tileId }) => tileId);
  expect(sent).toEqual(isMatched ? [renamed] : []);
});
