import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importInto, importStage, outcomeOf, writesOn, type RunOptions } from "../../support/import-stage.ts";
import { deleteRecord, memoryStack, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { programWithSampleArchive } from "../../support/program-with-sample-archive.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  records,
  source,
  targetIds,
  webhook,
} from "../../support/stack-records.ts";
import {
  dependencies,
  fromOtherStack,
  logs,
  theirHook,
  theirLogs,
  update,
  usualTarget,
} from "../../support/import-samples.ts";

const [ONE, TWO] = [hexId("a", 16), hexId("a", 17)];
const [THEIR_ONE, OTHER, THIRD] = [hexId("b", 16), hexId("b", 17), hexId("b", 18)];
const threeBoards = (): MemoryStack => {
  const names = { [THEIR_ONE]: "One", [OTHER]: "Other", [THIRD]: "Third" };
  return usualTarget({
    dashboards: Object.entries(names).map(([id, name]) => dashboard(id, name, targetIds.source)),
  });
};
const archive = records({
  sources: [logs],
  dashboards: ["One", "Two", "Other"].map((name, at) => dashboard(hexId("a", 16 + at), name, archiveIds.source)),
});

describe("a line of the map file for a dashboard, to which an import gives the archive's name", () => {
  const mapTo = (lines: Readonly<Record<string, string>>): RunOptions => {
    return { ...fromOtherStack, ...update, mapping: { dashboards: lines } };
  };
  const line = mapTo({ Two: OTHER });
  const namesAndIds = (stack: MemoryStack) =>
    recordsOn(stack, "dashboards").map(({ id, name }) => [String(name), id] as const);

  it("keeps its record in later runs, with and without the line", async () => {
    const stack = threeBoards();
    const stage = importStage(stack);
    expect((await stage.run(archive, line)).exitCode).toBe(0);
    const before = namesAndIds(stack);
    expect(before.map(([name]) => name).toSorted()).toEqual(["One", "Other", "Third", "Two"]);
    for (const options of [line, { ...line, mapping: {} }, line]) {
      const again = await stage.run(archive, options);
      expect([again.exitCode, outcomeOf(again, "Two")?.targetId]).toEqual([0, OTHER]);
    }
    expect(namesAndIds(stack)).toEqual(before);
    const byId = await importInto(stack, archive, line);
    expect([byId.exitCode, namesAndIds(stack)]).toEqual([0, before]);
  });

  it("names another record if the line is changed, and is refused if that one is gone", async () => {
    const stack = threeBoards();
    const stage = importStage(stack);
    await stage.run(archive, line);
    const changed = mapTo({ Two: THIRD });
    expect(outcomeOf(await stage.run(archive, changed), "Two")).toMatchObject({ action: "update", targetId: THIRD });
    for (const _ of [1, 2]) deleteRecord(stack, "dashboards", "Two");
    await expect(stage.run(archive, changed)).rejects.toMatchObject({ code: "usage" });
  });

  it("finds its record again after a run that was stopped in a chain of renames", async () => {
    const stack = threeBoards();
    const stage = importStage(stack);
    const chain = mapTo({ Two: OTHER, Other: THIRD });
    stack.intercept = (operation, body) => {
      if (operation === "update dashboards" && body?.["name"] === "Two") throw refusalError("rejected", "no");
    };
    expect((await stage.run(archive, chain)).exitCode).toBe(3);
    stack.intercept = () => {};
    expect((await stage.run(archive, chain)).exitCode).toBe(0);
    expect(namesAndIds(stack)).toEqual([
      ["One", THEIR_ONE],
      ["Two", OTHER],
      ["Other", THIRD],
    ]);
  });
});

it.each<[string, RunOptions["mapping"], fault: string]>([
  ["a dashboard's name, which may mean another record in the next run", { dashboards: { Two: "Other" } }, OTHER],
  ["a dashboard's name with blanks", { dashboards: { Two: " Other " } }, OTHER],
  ["two counterparts of one record", { dashboards: { Two: OTHER, [TWO]: THIRD } }, "another line maps it"],
  ["a line for all other sources", { sources: { "*": "Logs" } }, "only webhooks"],
])("a map file is refused, and nothing is written, for %s", async (_, mapping, fault) => {
  const stack = threeBoards();
  const faults = [expect.stringContaining(fault)];
  await expect(importInto(stack, archive, { ...update, mapping })).rejects.toMatchObject({ code: "usage", faults });
  expect(writesOn(stack)).toEqual([]);
});

describe("a map file that was corrected after an import", () => {
  const board = dashboard(ONE, "Board", archiveIds.source);
  const busy = alert(hexId("a", 32), "Busy", board, archiveIds.webhook);
  const alerted = records({ dashboards: [board], alerts: [busy], ...dependencies.ours });
  const [WRONG_SOURCE, WRONG_HOOK] = [hexId("b", 3), hexId("b", 4)];
  const mapTo = (sourceId: string, webhookId: string) => {
    return { mapping: { sources: { Logs: sourceId }, webhooks: { [archiveIds.webhook]: webhookId } } };
  };
  const [wrong, right] = [mapTo(WRONG_SOURCE, WRONG_HOOK), mapTo(targetIds.source, targetIds.webhook)];
  const sources = [theirLogs, source(WRONG_SOURCE, "Second", hexId("c", 2), "t2")];
  const listing = () => usualTarget({ sources, webhooks: [theirHook, webhook(WRONG_HOOK, "second")] });
  const unlisted = () => {
    const stack = memoryStack({ dashboards: [], alerts: [], sources }, "managed");
    stack.replaceStored = (operation, stored) =>
      operation.endsWith("alerts") ? { ...stored, note: "by the server" } : stored;
    return stack;
  };
  const hookOn = (stack: MemoryStack): unknown => recordsOn(stack, "alerts")[0]?.["channel"];

  describe.each([
    ["that lists its webhooks", listing],
    ["that lists no webhooks and stores alerts in another form", unlisted],
  ])("on a stack %s", (_, target) => {
    it.each([
      ["updates", "with the journal", true, {}, "update", targetIds.webhook],
      ["updates", "with the journal and overwrite", true, update, "update", targetIds.webhook],
      ["updates", "without the journal but overwrite", false, update, "update", targetIds.webhook],
      ["keeps", "without the journal", false, {}, "skip", WRONG_HOOK],
    ] as const)("%s the records that are there, %s", async (_does, _with, keepsJournal, options, action, hookId) => {
      const stack = target();
      const stage = importStage(stack);
      await stage.run(alerted, wrong);
      expect(hookOn(stack)).toMatchObject({ webhookId: WRONG_HOOK });
      if (!keepsJournal) stage.history.length = 0;
      const run = await stage.run(alerted, { ...right, ...options });
      const outcome = action === "skip" ? { action, code: "exists" } : { action };
      for (const name of ["Board", "Busy"]) expect(outcomeOf(run, name)).toMatchObject(outcome);
      expect(hookOn(stack)).toMatchObject({ webhookId: hookId });
      stack.requests.length = 0;
      await stage.run(alerted, { ...right, ...options });
      expect(writesOn(stack)).toEqual([]);
    });
  });

  it("keeps a saved search, which no import updates", async () => {
    const search = { id: hexId("a", 8), name: "Errors", sourceId: archiveIds.source, select: "", where: "" };
    const searches = records({ sources: [logs], "saved-searches": [search] });
    const stage = importStage(usualTarget({ sources, "saved-searches": [] }));
    const create = ["saved-searches"];
    await stage.run(searches, { mapping: { sources: wrong.mapping.sources }, create });
    const run = await stage.run(searches, { mapping: { sources: right.mapping.sources }, create });
    expect(outcomeOf(run, "Errors")).toMatchObject({ action: "skip", code: "exists" });
  });
});

it("a drafted map file keeps the lines that somebody has filled in, and --map decides where both have one", async () => {
  // The target does not list connections, so it accepts any id.
  const [inMap, inDraft] = ["c0".repeat(12), "d0".repeat(12)];
  await using stage = await programWithSampleArchive({ api: "contract" });
  await writeFile(join(stage.cwd, "given.yaml"), `connections:\n  "both": "${inMap}"\n`);
  await writeFile(join(stage.cwd, "draft.yaml"), `connections:\n  "both": "${inDraft}"\n  "old": "kept"\n`);
  const run = await stage.run("import a.zip --to $TO --map given.yaml --dry-run --draft-map draft.yaml");
  expect([0, 3]).toContain(run.exitCode);
  const text = await readFile(join(stage.cwd, "draft.yaml"), "utf8");
  expect(text).toContain(`"both": "${inMap}"`);
  expect(text).toContain('"old": "kept"');
  expect(text).not.toContain(inDraft);
});
