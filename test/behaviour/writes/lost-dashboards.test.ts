import { describe, expect, it } from "vitest";
import { dependencies, fromOtherStack, newStage, theirLogs } from "../../support/import-samples.ts";
import {
  dashboardsAlone,
  excluding,
  importInto,
  including,
  outcomeLines,
  warningMessages,
  writesDuring,
  writesOn,
  type JsonObject,
  type RunOptions,
  type StackRecord,
  type StageRun,
} from "../../support/import-stage.ts";
import {
  deleteRecord,
  failOperation,
  memoryStack,
  namesOn,
  refusalError,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { alert, dashboard, hexId, linkingTable, records, targetIds, tileWith } from "../../support/stack-records.ts";

// A stack has lost a dashboard, with the alerts on it. A backup of the stack has them.

const OVERVIEW = hexId("b", 16);
const overview = dashboard(OVERVIEW, "Service overview", targetIds.source);
const plain = dashboard(hexId("b", 17), "Start page", targetIds.source);
const link = tileWith(hexId("d", 90), "Table", linkingTable(OVERVIEW, targetIds.source));
const linking: JsonObject = { ...plain, tiles: [...(plain["tiles"] as JsonObject[]), link] };
const notes = tileWith(hexId("d", 91), "Notes", { displayType: "markdown", markdown: `see (/dashboards/${OVERVIEW})` });
const mentioning: JsonObject = { ...plain, tiles: [notes] };
const [busy, quiet] = ["Busy", "Quiet"].map((name, at) =>
  alert(hexId("b", 32 + at), name, overview, targetIds.webhook),
) as [JsonObject, JsonObject];
const others = alert(hexId("b", 40), "Of others", linking, targetIds.webhook);

const backupOf = (dashboards: readonly JsonObject[], alerts: readonly JsonObject[] = []): StackRecord[] =>
  records({ dashboards, alerts, ...dependencies.theirs });
const stackOf = (dashboards: readonly JsonObject[], alerts: readonly JsonObject[] = []): MemoryStack =>
  memoryStack({ dashboards, alerts, ...dependencies.theirs });

const backup = backupOf([overview, linking], [busy, quiet, others]);
/** Returns the stack from which the backup was made, without one dashboard and its alerts. */
const stackThatLost = (): MemoryStack => stackOf([linking], [others]);

/** Imports the backup, or another archive, once. */
const run = (stack: MemoryStack, options: RunOptions, archive = backup): Promise<StageRun> =>
  importInto(stack, archive, options);

const namesIn = (stack: MemoryStack): string[] => [...namesOn(stack), ...namesOn(stack, "alerts")].toSorted();

describe("--include", () => {
  it("names an alert that it leaves out only if the target lacks it: an update of the dashboard leaves it there", async () => {
    const edited = backupOf([{ ...overview, tags: ["new"] }, linking], [busy]);
    const options = { ...dashboardsAlone("Service overview"), onConflict: "overwrite" } as const;
    const there = await run(stackOf([overview], [busy]), options, edited);
    expect(outcomeLines(there.plan.items, "name", "action")).toContain("Service overview update");
    expect(warningMessages(there.plan, "left-out")).toEqual([]);
    const lost = await run(stackOf([overview]), options, edited);
    expect(warningMessages(lost.plan, "left-out")).toEqual([expect.stringContaining('"Busy"')]);
  });

  it("restores a dashboard with its alerts, and nothing else", async () => {
    const stack = stackThatLost();
    const { exitCode } = await run(stack, { filter: including("Service overview") });
    expect(exitCode).toBe(0);
    expect(writesOn(stack).toSorted()).toEqual(["create alerts", "create alerts", "create dashboards"]);
    expect(namesIn(stack)).toEqual(["Busy", "Of others", "Quiet", "Service overview", "Start page"]);
  });

  it("does not take along an alert whose text only mentions the dashboard", async () => {
    const mentions = { ...others, message: `see /dashboards/${OVERVIEW}` };
    const archive = backupOf([overview, linking], [busy, mentions]);
    const { plan } = await run(stackThatLost(), { filter: including("Service overview") }, archive);
    expect(outcomeLines(plan.items, "name").toSorted()).not.toContain("Of others");
  });

  it.each([
    ["an alert that is excluded", ["Quiet"], [], ["Busy"], /"Quiet"/],
    ["alerts of a kind that is not asked for", [], ["dashboards"], [], /"Busy".*"Quiet"/],
  ] as const)("leaves %s, and the plan names it", async (_, exclude, kinds, alerts, words) => {
    const stack = stackThatLost();
    const { plan } = await run(stack, { filter: { include: ["Service overview"], exclude }, kinds });
    expect(namesIn(stack)).toEqual([...alerts, "Of others", "Service overview", "Start page"]);
    expect(writesOn(stack)).toEqual(["create dashboards", ...alerts.map(() => "create alerts")]);
    expect(warningMessages(plan, "left-out")).toEqual([expect.stringMatching(words)]);
  });

  it("is a usage error if no record fits", async () => {
    await expect(run(stackThatLost(), dashboardsAlone("Service"))).rejects.toMatchObject({ code: "usage" });
  });
});

describe("--exclude", () => {
  it("leaves the alerts without a name on an excluded dashboard out, and no other alert", async () => {
    const nameless = { ...quiet, name: null };
    const archive = backupOf([overview, linking], [busy, nameless, others]);
    const { plan } = await run(stackOf([overview, linking]), { filter: excluding("Service overview") }, archive);
    const alerts = plan.items.filter(({ kind }) => kind === "alerts");
    expect(outcomeLines(alerts, "name", "action").toSorted()).toEqual(["Busy create", "Of others create"]);
  });
});

describe("--with-dependencies", () => {
  const filter = including("Start page");
  const along = { ...fromOtherStack, filter, withDependencies: true };

  it("includes the linked dashboards with their alerts", async () => {
    const stack = stackOf([]);
    expect((await run(stack, along)).exitCode).toBe(0);
    expect(namesIn(stack)).toEqual(["Busy", "Of others", "Quiet", "Service overview", "Start page"]);
  });

  it("is required for a linked dashboard: without the flag the link blocks the dashboard", async () => {
    const { plan } = await run(stackOf([]), { ...fromOtherStack, filter });
    expect(plan.items.find(({ name }) => name === "Start page")).toMatchObject({ code: "missing-reference" });
  });

  it.each([
    ["an alert that is excluded", ["Quiet"], [], "Quiet"],
    ["an excluded record, with the records that only it needs", ["Service overview"], [], "Busy"],
    ["a record of another kind", [], ["dashboards"], "Busy"],
  ] as const)("includes no excluded record: %s", async (_, exclude, kinds, not) => {
    const { plan } = await run(stackOf([]), { ...along, filter: { ...filter, exclude }, kinds });
    expect(plan.items.map(({ name }) => name)).not.toContain(not);
  });

  it("includes the sources that are to be created", async () => {
    const stack = memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [], connections: [] });
    const { plan } = await run(stack, { ...along, create: ["sources"] });
    expect(plan.items.filter(({ kind }) => kind === "sources").map(({ name }) => name)).toEqual(["Logs"]);
  });
});

const LINKS = [
  ["a link", linking],
  ["a text", mentioning],
] as const;

const expectNoFormerId = (stack: MemoryStack): void =>
  expect(JSON.stringify(recordsOn(stack, "dashboards"))).not.toContain(OVERVIEW);

/** Expects that the new id of the lost dashboard is in this content, and its former id in no dashboard. */
function expectNewId(stack: MemoryStack, content: unknown): void {
  expectNoFormerId(stack);
  expect(JSON.stringify(content)).toContain(recordOn(stack, "dashboards", "Service overview").id);
}

describe("a link of another dashboard to a lost dashboard", () => {
  it.each(LINKS)("is named, and a merge sets it again: %s", async (_, start) => {
    const { stack, stage } = newStage(stackOf([start]));
    const archive = backupOf([overview, start], [busy]);
    const { plan } = await stage.run(archive, { filter: including("Service overview") });
    expect(warningMessages(plan, "dead-link")).toEqual([expect.stringMatching(/"Start page".*"Service overview"/)]);
    await stage.run(archive, { ...dashboardsAlone("Start page"), onConflict: "merge" });
    expectNewId(stack, recordOn(stack, "dashboards", "Start page")["tiles"]);
  });

  it.each(["keep", "overwrite", "merge"] as const)("is set by a run that restores both (%s)", async (onConflict) => {
    const { stack, stage } = newStage(stackThatLost());
    const { plan, exitCode } = await stage.run(backup, { onConflict });
    expect(exitCode).toBe(0);
    expect(warningMessages(plan, "dead-link")).toEqual([]);
    expect(plan.items.filter(({ action }) => action === "update")).toMatchObject([{ name: "Start page" }]);
    expectNewId(stack, recordOn(stack, "dashboards", "Start page"));
    expect(await writesDuring(stack, () => stage.run(backup, { onConflict }))).toEqual([]);
  });

  it.each(LINKS.flatMap(([what, start]) => [true, false].map((hasJournal) => [what, hasJournal, start] as const)))(
    "is set by a merge in the same run if other parts were edited: %s (journal: %s)",
    async (_, hasJournal, start) => {
      const edits = { name: "Edited", tags: ["theirs"] };
      const { stack, stage } = newStage(stackOf([overview, start]));
      const archive = backupOf([overview, start]);
      if (hasJournal) await stage.run(archive);
      deleteRecord(stack, "dashboards", "Service overview");
      changeOn(stack, "dashboards", edits, "Start page");
      const { plan, exitCode } = await stage.run(archive, { onConflict: "merge" });
      expect([exitCode, warningMessages(plan, "dead-link")]).toEqual([0, []]);
      const { tiles, ...rest } = recordOn(stack, "dashboards", "Edited");
      expectNewId(stack, tiles);
      expect(rest).toMatchObject(edits);
      expect(await writesDuring(stack, () => stage.run(archive, { onConflict: "merge" }))).toEqual([]);
    },
  );

  it("is set by the merge that creates the linked dashboard, which an earlier run did not include", async () => {
    const stack = stackOf([]);
    const archive = backupOf([overview, mentioning]);
    await run(stack, { ...fromOtherStack, filter: including("Start page") }, archive);
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Start page");
    const { exitCode } = await run(stack, { ...fromOtherStack, onConflict: "merge" }, archive);
    expect(exitCode).toBe(0);
    const { tiles, tags } = recordOn(stack, "dashboards", "Start page");
    expectNewId(stack, tiles);
    expect(tags).toEqual(["theirs"]);
  });

  it.each(["keep", "merge"] as const)("is set by the next run if the first could not (%s)", async (onConflict) => {
    const stack = stackThatLost();
    failOperation(stack, "update dashboards", () => refusalError("rejected", "no"));
    expect((await run(stack, { onConflict })).exitCode).toBe(3);
    stack.intercept = () => {};
    const { plan, exitCode } = await run(stack, { onConflict });
    expect(exitCode).toBe(0);
    const updates = plan.items.filter(({ action }) => action === "update");
    expect(outcomeLines(updates, "name", "code")).toEqual(["Start page"]);
    expectNoFormerId(stack);
  });

  it.each(LINKS)("is left as it is if the lost dashboard cannot be created: %s", async (_, start) => {
    const missing = { ...theirLogs, id: hexId("b", 7), name: "Gone", from: { databaseName: "d", tableName: "gone" } };
    const blocked = dashboard(OVERVIEW, "Service overview", hexId("b", 7));
    const archive = [...backupOf([blocked, start]), ...records({ sources: [missing] })];
    const stack = stackOf([start]);
    const { plan, exitCode } = await run(stack, {}, archive);
    expect(exitCode).toBe(3);
    expect(plan.items).toContainEqual(expect.objectContaining({ name: "Start page", action: "unchanged" }));
    expect(writesOn(stack)).toEqual([]);
    changeOn(stack, "dashboards", { tags: ["theirs"] });
    const merging = await run(stack, { onConflict: "merge" }, archive);
    expect(merging.plan.items).toContainEqual(expect.objectContaining({ name: "Start page", code: "exists" }));
    expect(writesOn(stack)).toEqual([]);
  });

  it("is named with the id of a record that has no name", async () => {
    const nameless = { ...linking, name: "" };
    const archive = backupOf([overview, nameless]);
    const { plan } = await run(stackOf([nameless]), { filter: including("Service overview") }, archive);
    expect(warningMessages(plan, "dead-link")).toEqual([expect.stringContaining(hexId("b", 17))]);
  });

  it("is not named on another stack, where the same id means nothing", async () => {
    const stack = stackOf([{ ...linking, id: hexId("e", 1), name: "Theirs" }]);
    const { plan } = await run(stack, { ...fromOtherStack, filter: including("Service overview") });
    expect(warningMessages(plan, "dead-link")).toEqual([]);
  });

  it("is not named if copies are created beside the originals", async () => {
    const { plan } = await run(stackOf([overview, linking], [others]), { namePrefix: "Copy " });
    expect(plan.items.filter(({ action }) => action === "create").length).toBeGreaterThan(2);
    expect(warningMessages(plan, "dead-link")).toEqual([]);
  });
});
