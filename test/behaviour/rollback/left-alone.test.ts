import { describe, expect, it } from "vitest";
import { board, dependencies, update, usualTarget } from "../../support/import-samples.ts";
import { importStage, writesOn, type JournalEntry, type JsonObject } from "../../support/import-stage.ts";
import { namesOn, putRecord, runKilled, type MemoryStack } from "../../support/memory-stack.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  contentOf,
  deletionEntries,
  imageOf,
  importOnce,
  planLines,
  rollBackJournal,
  type ImportedStack,
} from "../../support/rollback-runs.ts";
import {
  alert,
  dashboard,
  hexId,
  linkingTable,
  records,
  targetIds,
  tileOf,
  tileWith,
  webhook,
} from "../../support/stack-records.ts";
import { importFive, theirBoard, undo } from "./five-records.ts";

const one = records({ dashboards: [board(16)], ...dependencies.ours });
const theirs = dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] });
const updated = (): Promise<ImportedStack> => importOnce(one, usualTarget({ dashboards: [theirs] }), update);

/** Creates a target with two records, each of which could be the record that a killed import created. */
async function twoCandidates(): Promise<ImportedStack> {
  const stack = usualTarget({ dashboards: [{ ...theirs, id: hexId("b", 40), name: "Stranger" }] });
  const stage = importStage(stack);
  await runKilled(stack, "after", /^create dashboards/, () => stage.run(one));
  putRecord(stack, "dashboards", { ...recordOn(stack, "dashboards", "Board 16"), id: hexId("e", 1) });
  return { stack, entries: stage.history };
}

async function hiddenSince(): Promise<ImportedStack> {
  const written = await updated();
  written.stack.substitutes.add(tileOf(theirs));
  return written;
}

/** Runs an import, and replaces the image in its journal. */
async function updatedWithImage(body: JsonObject | undefined): Promise<ImportedStack> {
  const { stack, entries } = await updated();
  const edited = entries.map((entry): JournalEntry => {
    if (entry.type !== "intent") return entry;
    const { image: _, ...rest } = entry;
    return { ...rest, ...(body && { image: imageOf("dashboards", body) }) };
  });
  return { stack, entries: edited };
}

const secret = { ...theirs, tags: ["«redacted:assigned-secret»"] };
const generic = { ...webhook(hexId("b", 50), "generic"), service: "generic" };
const main = { id: hexId("b", 52), name: "Main", host: "http://db", username: "reader" };
const watching = alert(hexId("b", 32), "Watching", theirs, targetIds.webhook);
const everyKind = { connections: [], "saved-searches": [] };
const deleted = (bodies: readonly [kind: string, body: JsonObject][], more = {}): ImportedStack => ({
  stack: usualTarget(more),
  entries: bodies.flatMap(([kind, body]) => deletionEntries(kind, body)),
});

describe("a rollback that cannot undo a record", () => {
  it.each<[code: string, what: string, given: () => ImportedStack | Promise<ImportedStack>]>([
    ["ambiguous", "two records may be the one created", twoCandidates],
    ["no-previous", "the journal has no image", () => updatedWithImage(undefined)],
    ["redacted", "the image of an update lacks a secret", () => updatedWithImage(secret)],
    ["redacted", "the image of a delete lacks a secret", () => deleted([["dashboards", secret]])],
    ["redacted", "a webhook may have had headers", () => deleted([["webhooks", generic]], everyKind)],
    ["redacted", "a connection had a password", () => deleted([["connections", main]], everyKind)],
    ["not-offered", "the stack creates no webhooks", () => deleted([["webhooks", generic]])],
    ["would-lose-hidden", "the dashboard has hidden content by now", hiddenSince],
  ])("leaves it as it is, and exits with 3, also under --force: %s, as %s", async (code, _what, given) => {
    const { stack, entries } = await given();
    const before = recordsOn(stack, "dashboards");
    for (const force of [false, true]) {
      const { outcomes, exitCode } = await rollBackJournal(stack, entries, { force });
      expect(outcomes.map((outcome) => outcome.code)).toContain(code);
      expect(exitCode).toBe(3);
      expect(recordsOn(stack, "dashboards")).toEqual(before);
    }
  });

  it("leaves what needs the record, too, and names what that needs; a dashboard that only links to it is created again", async () => {
    const tiles = [tileWith(hexId("d", 17), "Table", linkingTable(hexId("b", 16), targetIds.source))];
    const linking = dashboard(hexId("b", 17), "Linking", "", { tiles });
    const { stack, entries } = deleted([
      ["alerts", watching],
      ["dashboards", secret],
      ["dashboards", linking],
    ]);
    const kept = ["Watching blocked dead-reference", "Board 16 skip redacted"];
    expect(await planLines(stack, entries)).toEqual(["Linking create", ...kept]);
    const { exitCode, outcomes, warnings } = await rollBackJournal(stack, entries);
    const blocked = outcomes.find(({ code }) => code === "dead-reference");
    expect(blocked).toMatchObject({ name: "Watching", message: expect.stringContaining(hexId("b", 16)) });
    expect(warnings.map(({ code }) => code)).toEqual(["left-out"]);
    expect(JSON.stringify(recordsOn(stack, "dashboards"))).not.toContain("onClick");
    expect(exitCode).toBe(3);
    expect(await planLines(stack, entries, true)).toEqual(expect.arrayContaining(kept));
  });

  it("leaves a source that another run has linked as it is, and says so: an import never updates a source", async () => {
    const traces = { ...dependencies.theirs.sources[0], kind: "trace", logSourceId: hexId("b", 9) };
    const { logSourceId: _link, ...before } = traces;
    const stack = usualTarget({ sources: [traces], connections: [], "saved-searches": [] });
    const at = "2026-01-01T00:00:00.000Z";
    const write = { at, key: "sources/x", write: "update", targetId: hexId("b", 1) } as const;
    const entries: JournalEntry[] = [
      { type: "begin", at, run: 1 },
      { type: "intent", name: "Logs", image: imageOf("sources", before), ...write },
      { type: "done", content: contentOf("sources", traces), ...write },
    ];
    const { lines, exitCode } = await rollBackJournal(stack, entries);
    expect(lines).toEqual(["Logs skip done exists"]);
    expect([exitCode, writesOn(stack)]).toEqual([3, []]);
  });
});

describe("a record that somebody has changed since the import", () => {
  it("is left alone, with what it uses; --force undoes both", async () => {
    const imported = await importFive();
    const { stack } = imported;
    changeOn(stack, "dashboards", { tags: ["later"] }, "Board 18");
    changeOn(stack, "alerts", { threshold: 99 }, "Alert 0");
    const first = await undo(imported);
    expect(first.lines.toSorted()).toEqual([
      "Alert 0 skip done changed-since",
      "Alert 1 delete done",
      "Board 16 blocked failed in-use",
      "Board 17 delete done",
      "Board 18 skip done changed-since",
    ]);
    expect(first.exitCode).toBe(3);
    const changed = first.outcomes.filter(({ code }) => code === "changed-since");
    for (const { message } of changed) expect(message).toContain("--force");
    expect(recordOn(stack, "dashboards", "Board 18")).toMatchObject({ tags: ["later"] });
    expect(namesOn(stack, "alerts")).toEqual(["Alert 0"]);
    const forced = await undo(imported, { force: true });
    expect(forced.lines.toSorted()).toEqual(["Alert 0 delete done", "Board 16 delete done", "Board 18 update done"]);
    expect(forced.exitCode).toBe(0);
    expect(recordsOn(stack, "dashboards")).toMatchObject([theirBoard]);
    expect(namesOn(stack, "alerts")).toEqual([]);
  });

  it.each<[string, code: string, (stack: MemoryStack) => void]>([
    ["is gone", "gone", (stack) => stack.records.get("dashboards")?.clear()],
    ["equals its state before the import", "put-back", (stack) => putRecord(stack, "dashboards", theirs)],
  ])("counts as undone already where it %s (%s, exit 0)", async (_, code, act) => {
    const { stack, entries } = await updated();
    act(stack);
    for (const force of [false, true]) {
      const { lines, exitCode } = await rollBackJournal(stack, entries, { force });
      expect([...lines, exitCode]).toEqual([`Board 16 skip done ${code}`, 0]);
    }
    expect(writesOn(stack)).toEqual([]);
  });

  it("is left alone, too, where the change comes after the plan, and the others are undone", async () => {
    const archive = records({ dashboards: [16, 17, 18].map((number) => board(number)), ...dependencies.ours });
    const theirBoards = [16, 17].map((number) =>
      dashboard(hexId("b", number), `Board ${number}`, targetIds.source, { tags: ["theirs"] }),
    );
    const { stack, entries } = await importOnce(archive, usualTarget({ dashboards: theirBoards }), update);
    const between = (): void => {
      for (const name of ["Board 16", "Board 18"]) changeOn(stack, "dashboards", { tags: ["somebody's"] }, name);
    };
    const { lines, stopped, exitCode } = await rollBackJournal(stack, entries, { between });
    expect([stopped, exitCode]).toEqual([undefined, 3]);
    expect(lines).toEqual([
      "Board 16 update failed changed-since",
      "Board 17 update done",
      "Board 18 delete failed changed-since",
    ]);
    expect(recordsOn(stack, "dashboards").map(({ tags }) => tags)).toEqual([
      ["somebody's"],
      ["theirs"],
      ["somebody's"],
    ]);
  });

  it("is a webhook, which no request reads alone: each is compared with itself in the list", async () => {
    const hooks = ["One", "Two", "Three"].map((name, index) => webhook(hexId("a", 20 + index), name, "slack"));
    // A stack that lists connections and saved searches is taken to accept creates of webhooks, too.
    const stack = usualTarget({ webhooks: [], ...everyKind });
    const { entries } = await importOnce(records({ webhooks: hooks }), stack, { create: ["webhooks"] });
    const between = (): void => changeOn(stack, "webhooks", { description: "theirs" }, "Two");
    const { lines } = await rollBackJournal(stack, entries, { between });
    expect(lines).toEqual(["One delete done", "Two delete failed changed-since", "Three delete done"]);
    expect(namesOn(stack, "webhooks")).toEqual(["Two"]);
  });
});
