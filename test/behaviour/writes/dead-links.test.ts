import { describe, expect, it } from "vitest";
import { archiveOf, fromOtherStack, logs, newStage, theirLogs } from "../../support/import-samples.ts";
import {
  bodiesSentTo,
  dashboardsAlone,
  excluding,
  importInto,
  including,
  outcomeLines,
  outcomeOf,
  warningMessages,
  warningsBesidesJournal,
  writesDuring,
  writesOn,
  type JsonObject,
  type RunOptions,
} from "../../support/import-stage.ts";
import { deleteRecord, memoryStack, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  archiveIds,
  dashboard,
  hexId,
  linkingTable,
  records,
  targetIds,
  tileWith,
} from "../../support/stack-records.ts";
import { chain, circle, expectLinks, idOf, imported, linking, linksOf, mentioning } from "./linked-boards.ts";

describe("a dashboard that somebody has deleted on the target, and that others link to", () => {
  it.each([
    ["in a chain", chain],
    ["in a cycle", circle],
  ])("is created again, and their links are set to its new id: %s", async (_, archive) => {
    const { stack, stage } = await imported(archive);
    deleteRecord(stack, "dashboards", "Two");
    const run = await stage.run(archive);
    expect(run.exitCode).toBe(0);
    expect(outcomeOf(run, "Two")).toMatchObject({ action: "create", status: "done" });
    expect(outcomeOf(run, "One")).toMatchObject({ action: "update" });
    expect(warningMessages(run.plan, "dead-link")).toEqual([]);
    expectLinks(stack, "One", "Two");
    expect(await writesDuring(stack, () => stage.run(archive))).toEqual([]);
  });

  it("is created again, and their links are set by the same run, also without the journal", async () => {
    const { stack } = await imported(chain, fromOtherStack);
    deleteRecord(stack, "dashboards", "Two");
    const run = await importInto(stack, chain, fromOtherStack);
    const actions = ["One", "Two", "Three"].map((name) => outcomeOf(run, name)?.action);
    expect(actions).toEqual(["update", "create", "update"]);
    for (const name of ["One", "Three"]) expectLinks(stack, name, "Two");
  });

  it("is created again, and their links are set, even if no earlier run had created it", async () => {
    const { stack, stage } = newStage();
    // The first run leaves "Two" out, because the target has it; before the second run somebody has deleted it.
    putRecord(stack, "dashboards", linking(40, "Two", []));
    await stage.run(chain, { filter: excluding("Two") });
    deleteRecord(stack, "dashboards", "Two");
    const run = await stage.run(chain);
    expect(outcomeOf(run, "Two")).toMatchObject({ action: "create", status: "done" });
    expect(outcomeOf(run, "One")).toMatchObject({ action: "update", status: "done" });
    expectLinks(stack, "One", "Two");
  });

  it("is created again alone: the dead links are named, and the next run sets them", async () => {
    const { stack, stage } = await imported(chain, fromOtherStack);
    const former = idOf(stack, "Two");
    const link = tileWith(hexId("e", 2), "To 17", linkingTable(former, archiveIds.source));
    putRecord(stack, "dashboards", dashboard(hexId("e", 1), "Theirs", "", { tiles: [link] }));
    deleteRecord(stack, "dashboards", "Two");
    const { plan } = await stage.run(chain, { ...fromOtherStack, ...dashboardsAlone("Two") });
    expect(warningMessages(plan, "dead-link")).toEqual([expect.stringMatching(/"One".*"Three".*"Theirs".*"Two"/)]);
    expect((await stage.run(chain, fromOtherStack)).exitCode).toBe(0);
    for (const name of ["One", "Three"]) expectLinks(stack, name, "Two");
    expect(await writesDuring(stack, () => stage.run(chain, fromOtherStack))).toEqual([]);
  });

  it("leaves the linking dashboards alone when the run does not select the deleted one", async () => {
    const { stack, stage } = await imported(chain);
    deleteRecord(stack, "dashboards", "Two");
    stack.requests.length = 0;
    const run = await stage.run(chain, { filter: excluding("Two") });
    expect(outcomeOf(run, "Two")).toBeUndefined();
    expect(outcomeOf(run, "One")).toMatchObject({ action: "unchanged" });
    expect(writesOn(stack)).toEqual([]);
    const message = expect.stringMatching(/"One".*"Three".*"Two"/) as string;
    expect(run.plan.warnings).toEqual([{ code: "dead-link", message }]);
  });

  it("is named if only the text of an unchanged dashboard links to it", async () => {
    const notes = mentioning(16, "One", `see /dashboards/${hexId("a", 17)}`);
    const stack = memoryStack({ dashboards: [notes], alerts: [], sources: [logs], webhooks: [] });
    const archive = archiveOf(notes, linking(17, "Two", []));
    const { plan } = await importInto(stack, archive, { ...dashboardsAlone("One") });
    expect(plan.items[0]).toMatchObject({ name: "One", action: "unchanged" });
    expect(plan.warnings).toMatchObject([{ code: "dead-link" }]);
  });

  it("does not overwrite the result of a merge in a linking dashboard: its dead link is named", async () => {
    const archive = archiveOf(linking(16, "One", [17, 18]), linking(17, "Two", []), linking(18, "Three", []));
    const { stack, stage } = await imported(archive, fromOtherStack);
    const [first = null] = recordOn(stack, "dashboards", "One")["tiles"] as JsonObject[];
    changeOn(stack, "dashboards", { tags: ["theirs"], tiles: [first] }, "One");
    const merged = await stage.run(archive, { ...fromOtherStack, onConflict: "merge" });
    expect(outcomeOf(merged, "One")).toMatchObject({ action: "skip", code: "edited" });
    deleteRecord(stack, "dashboards", "Two");
    const { plan } = await stage.run(archive, fromOtherStack);
    expect(recordOn(stack, "dashboards", "One")).toMatchObject({ tags: ["theirs"] });
    expect(warningMessages(plan, "dead-link")).toHaveLength(1);
    await stage.run(archive, { ...fromOtherStack, ...dashboardsAlone("One"), onConflict: "overwrite" });
    expect(linksOf(recordOn(stack, "dashboards", "One"))).toContain(idOf(stack, "Two"));
  });

  it.each<[string, isKept: boolean, edit: (tiles: JsonObject[]) => JsonObject[]]>([
    ["and its tags were edited", true, (tiles) => tiles],
    ["and its tags were edited, without the journal", false, (tiles) => tiles],
    ["and a tile before it was removed", true, (tiles) => tiles.slice(1)],
    ["and a tile before it was removed, without the journal", false, (tiles) => tiles.slice(1)],
    ["and its tiles have another order, without the journal", false, (tiles) => tiles.toReversed()],
  ])("leaves a dashboard %s, and a merge sets its link alone", async (_, isKept, edit) => {
    const archive = archiveOf(linking(16, "One", [18, 17]), linking(17, "Two", []), linking(18, "Three", []));
    const { stack, stage } = await imported(archive, fromOtherStack);
    if (!isKept) stage.history.length = 0;
    const tiles = edit(recordOn(stack, "dashboards", "One")["tiles"] as JsonObject[]);
    changeOn(stack, "dashboards", { tags: ["theirs"], tiles }, "One");
    deleteRecord(stack, "dashboards", "Two");
    const { plan } = await stage.run(archive, fromOtherStack);
    expect(warningMessages(plan, "dead-link")).toHaveLength(isKept ? 1 : 0);
    await stage.run(archive, { ...fromOtherStack, ...dashboardsAlone("One"), onConflict: "merge" });
    expect(linksOf(recordOn(stack, "dashboards", "One"))).toContain(idOf(stack, "Two"));
    expect(recordOn(stack, "dashboards", "One")).toMatchObject({ tags: ["theirs"] });
  });

  it("leaves a linking dashboard alone that somebody has changed since, and names it", async () => {
    const { stack, stage } = await imported(chain);
    deleteRecord(stack, "dashboards", "Two");
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "One");
    const run = await stage.run(chain);
    expect(outcomeOf(run, "One")).toMatchObject({ action: "skip", code: "both-changed" });
    expect(outcomeOf(run, "Three")).toMatchObject({ action: "update" });
  });
});

it("a dashboard is written without its link where the linked one is gone from the source and the target", async () => {
  const { stack, stage } = await imported(chain);
  for (const name of ["One", "Two"]) deleteRecord(stack, "dashboards", name);
  const withoutTwo = archiveOf(linking(16, "One", [17]), linking(18, "Three", [17]));
  const run = await stage.run(withoutTwo, { whole: new Set(["dashboards"]) });
  expect(outcomeOf(run, "One")).toMatchObject({ action: "create", status: "done" });
  expect(warningMessages(run.plan, "left-out")).toEqual([expect.stringContaining('"One"')]);
  expect(linksOf(recordOn(stack, "dashboards", "One"))).toEqual([undefined]);
});

describe("a link to a dashboard that neither the archive nor the target has", () => {
  const lone = linking(16, "One", [99]);
  const [archive, edited] = [archiveOf(lone), archiveOf({ ...lone, tags: ["new"] })];
  const options = { whole: new Set(["dashboards"]), onConflict: "overwrite" } as const;

  it("is left out if it was deleted before the export, and the plan says so", async () => {
    const { stack, stage } = newStage();
    const first = await stage.run(archive, options);
    expect(outcomeOf(first, "One")).toMatchObject({ action: "create", status: "done" });
    expect(first.plan.warnings).toMatchObject([{ code: "left-out", pointer: "/tiles/0/config/onClick/target/id" }]);
    expect(JSON.stringify(bodiesSentTo(stack, "create dashboards"))).not.toContain("onClick");
    expect(outcomeOf(await stage.run(archive, options), "One")).toMatchObject({ action: "unchanged" });
    expect(outcomeOf(await stage.run(edited, options), "One")).toMatchObject({ action: "update", status: "done" });
    expect(outcomeOf(await stage.run(edited, options), "One")).toMatchObject({ action: "unchanged" });
  });

  it("blocks its dashboard if the linked one may still be there", async () => {
    const { stack, stage } = newStage();
    const run = await stage.run(archive);
    expect(outcomeOf(run, "One")).toMatchObject({ action: "blocked", code: "missing-reference" });
    expect(writesOn(stack)).toEqual([]);
  });
});

describe("a link to a lost source", () => {
  const overview = dashboard(hexId("b", 16), "Service overview", targetIds.source);
  const sources = [{ ...theirLogs, connection: undefined }];
  const archive = records({ dashboards: [overview], sources });
  const withoutSource = (more: Readonly<Record<string, readonly JsonObject[]>> = {}): MemoryStack =>
    memoryStack({ dashboards: [overview], alerts: [], sources: [], "saved-searches": [], ...more });

  it("is named as long as no run creates the source", async () => {
    const { plan } = await importInto(withoutSource(), archive);
    expect(plan.items).toMatchObject([{ kind: "dashboards", action: "unchanged" }, { code: "unmatched" }]);
    const message = expect.stringMatching(/"Service overview".*"Logs"/) as string;
    expect(plan.warnings).toEqual([{ code: "dead-link", message }]);
  });

  it("is set by the run that creates the source", async () => {
    const stack = withoutSource();
    const { plan } = await importInto(stack, archive, { create: ["sources"] });
    expect(warningsBesidesJournal(plan)).toEqual([]);
    expect(outcomeLines(plan.items, "kind", "action", "code")).toEqual(["sources create", "dashboards update"]);
    const text = JSON.stringify(recordsOn(stack, "dashboards"));
    expect(text).toContain(recordOn(stack, "sources", "Logs").id);
    expect(text).not.toContain(targetIds.source);
  });

  it("is to be set by hand in a saved search, which no run updates", async () => {
    const searches = [{ id: hexId("b", 60), name: "Errors", sourceId: targetIds.source }];
    const dashboards = [dashboard(hexId("b", 18), "Bare", "", { tiles: [] })];
    const stack = withoutSource({ dashboards, "saved-searches": searches });
    const all = records({ dashboards, "saved-searches": searches, sources });
    const deadLinks = async (options: RunOptions): Promise<string[]> =>
      warningMessages((await importInto(stack, all, options)).plan, "dead-link");
    const named = expect.stringMatching(/"Errors".*"Logs".*by hand/) as string;
    expect(await deadLinks({})).toEqual([named]);
    expect(await deadLinks({ filter: including("Bare") })).toEqual([]);
    expect(await deadLinks({ create: ["sources"] })).toEqual([named]);
  });
});
