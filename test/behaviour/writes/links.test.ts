import { describe, expect, it } from "vitest";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  excluding,
  importStage,
  dashboardsAlone,
  outcomeOf,
  bodiesSentTo,
  outcomeLines,
  warningMessages,
  writesDuring,
  writesOn,
  type ImportStage,
  type JsonObject,
  type RunOptions,
  type StackRecord,
} from "../../support/import-stage.ts";
import {
  failOperation,
  deleteRecord,
  runKilled,
  memoryStack,
  namesOn,
  putRecord,
  refusalError,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import {
  alert,
  dashboard,
  hexId,
  linkingTable,
  records,
  tileWith,
  archiveIds,
  targetIds,
} from "../../support/stack-records.ts";
import { fromOtherStack, hook, logs, usualTarget, archiveOf } from "../../support/import-samples.ts";

/** Returns a dashboard with one table tile for each dashboard in `to`; a click on the tile leads there. */
function linking(number: number, name: string, to: readonly number[]): JsonObject {
  const tiles = to.map((each) => {
    return tileWith(hexId("d", number * 16 + each), `To ${each}`, linkingTable(hexId("a", each), archiveIds.source));
  });
  return dashboard(hexId("a", number), name, "", { tiles });
}

/** Returns a dashboard with this text, in which a test puts the id of another dashboard. */
function mentioning(number: number, name: string, markdown: string): JsonObject {
  const tiles = [tileWith(hexId("d", number), "Notes", { displayType: "markdown", markdown })];
  return dashboard(hexId("a", number), name, "", { tiles });
}

const circle = archiveOf(linking(16, "One", [17]), linking(17, "Two", [16]));
const chain = archiveOf(linking(16, "One", [17]), linking(17, "Two", []), linking(18, "Three", [17]));

const idOf = (stack: MemoryStack, name: string): string => recordOn(stack, "dashboards", name).id;
const linksOf = (body: object): unknown[] =>
  (body as { tiles: { config: { onClick?: { target: { id: string } } } }[] }).tiles.map(
    ({ config }) => config.onClick?.target.id,
  );
const textOf = (stack: MemoryStack): string => JSON.stringify(recordsOn(stack, "dashboards"));

/** Expects that this dashboard's links on the target lead to exactly these dashboards. */
function expectLinks(stack: MemoryStack, name: string, ...to: readonly string[]): void {
  const links = linksOf(recordOn(stack, "dashboards", name));
  expect(links, name).toEqual(to.map((each) => idOf(stack, each)));
}

/** Imports an archive onto a stack that has none of its records. */
async function imported(
  archive: readonly StackRecord[],
  options: RunOptions = {},
): Promise<{ stack: MemoryStack; stage: ImportStage }> {
  const stack = usualTarget();
  const stage = importStage(stack);
  expect((await stage.run(archive, options)).exitCode).toBe(0);
  return { stack, stage };
}

/** Makes the stack refuse every write of a dashboard with this name. */
function refuseBoard(stack: MemoryStack, name: string, code: "rejected" | "unauthorized" = "rejected"): void {
  stack.intercept = (operation, body) => {
    if (operation === "create dashboards" && body?.["name"] === name) throw refusalError(code, "no");
  };
}

it("a link of a dashboard to itself is closed by one update, which keeps the new id of its tile", async () => {
  const { stack } = await imported(archiveOf(linking(16, "Self", [16])));
  const { id, tiles } = recordOn(stack, "dashboards", "Self");
  const [tile] = tiles as JsonObject[];
  const updates = bodiesSentTo(stack, "update dashboards");
  expect(updates).toMatchObject([{ tiles: [{ ...tile, config: { onClick: { target: { id } } } }] }]);
  expect(updates[0]).not.toHaveProperty("id");
});

describe("the write of a deferred link", () => {
  it("fails when the stack refuses it (exit 3), and is repeated by the next run", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    failOperation(stack, "update dashboards", () => refusalError("rejected", "no"));
    const first = await stage.run(circle);
    expect(outcomeLines(first.outcomes.slice(0, 2), "status", "code").toSorted()).toEqual(["done", "failed rejected"]);
    expect(first.exitCode).toBe(3);
    stack.intercept = () => {};
    const second = await stage.run(circle);
    expect(second.plan.items.filter(({ action }) => action === "update")).toHaveLength(1);
    expect(second.exitCode).toBe(0);
    expectLinks(stack, "One", "Two");
    expectLinks(stack, "Two", "One");
    const again = await stage.run(circle);
    expect(outcomeLines(again.plan.items.slice(0, 2), "action")).toEqual(["unchanged", "unchanged"]);
  });

  it("looks first: what somebody has edited since its create stays, and is named (exit 3)", async () => {
    const stack = usualTarget();
    stack.interceptAfter = (operation) => {
      if (operation === "create dashboards") changeOn(stack, "dashboards", { tags: ["theirs"] });
    };
    const run = await importStage(stack).run(circle);
    expect(run.exitCode).toBe(3);
    expect(run.outcomes.filter(({ code }) => code === "changed-since")).toMatchObject([{ status: "failed" }]);
    expect(writesOn(stack)).toEqual(["create dashboards", "create dashboards"]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["theirs"] }, { tags: ["theirs"] }]);
  });

  it("is named where the dashboard that it leads to could not be written", async () => {
    const stack = usualTarget();
    refuseBoard(stack, "Three");
    const three = archiveOf(linking(16, "One", [17]), linking(17, "Two", [16, 18]), linking(18, "Three", [17]));
    const run = await importStage(stack).run(three);
    const codes = run.outcomes.slice(0, 3).map(({ code }) => code);
    expect(codes).toContain("rejected");
    expect(codes.filter((code) => code === "link-failed" || code === "dependency-failed")).not.toEqual([]);
    expect(run.exitCode).toBe(3);
  });

  it("leaves out of the first write the links that wait, and no other", async () => {
    const leaf = linking(18, "Leaf", []);
    const { stack } = await imported(archiveOf(linking(16, "One", [17, 18]), linking(17, "Two", [16, 18]), leaf));
    const linked = bodiesSentTo(stack, "create dashboards").filter(({ name }) => name !== "Leaf");
    expect(linked).toHaveLength(2);
    for (const body of linked) expect(linksOf(body)).toContain(idOf(stack, "Leaf"));
    expectLinks(stack, "One", "Two", "Leaf");
    expectLinks(stack, "Two", "One", "Leaf");
    expect(writesOn(stack).filter((name) => name === "update dashboards")).toHaveLength(1);
  });

  it("is not sent once the run has been stopped", async () => {
    const stack = usualTarget();
    refuseBoard(stack, "Last", "unauthorized");
    const run = await importStage(stack).run([...archiveOf(linking(15, "Last", [])), ...circle], { concurrency: 1 });
    expect(run.stopped?.code).toBe("unauthorized");
    expect(writesOn(stack)).not.toContain("update dashboards");
  });

  it("is no failure of its record where the run ended before what it leads to was written", async () => {
    const stack = usualTarget();
    refuseBoard(stack, "One", "unauthorized");
    const run = await importStage(stack).run(circle);
    expect(outcomeLines(run.outcomes.slice(0, 2), "name", "status", "code").toSorted()).toEqual([
      "One failed unauthorized",
      "Two done link-failed",
    ]);
  });
});

describe("texts in which two dashboards name each other", () => {
  const naming = (number: number, name: string, to: number): JsonObject =>
    mentioning(number, name, `see [it](https://o11y.example.com/dashboards/${hexId("a", to).toUpperCase()}?from=now)`);
  const pair = archiveOf(naming(16, "One", 17), naming(17, "Two", 16));

  it("have the target's ids in the end", async () => {
    const { stack } = await imported(pair);
    const text = textOf(stack);
    for (const number of [16, 17]) expect(text.toLowerCase()).not.toContain(hexId("a", number));
    for (const name of ["One", "Two"]) expect(text).toContain(`dashboards/${idOf(stack, name)}?from=now`);
    const { plan } = await importStage(stack).run(pair);
    expect(outcomeLines(plan.items.slice(0, 2), "action")).toEqual(["unchanged", "unchanged"]);
  });

  it("are finished where one of two ids in a text was there to be set at once", async () => {
    const both = (number: number, name: string, to: number): JsonObject =>
      mentioning(number, name, `see /dashboards/${hexId("a", to)} and /dashboards/${hexId("a", 18)}`);
    const archive = archiveOf(both(16, "One", 17), both(17, "Two", 16), linking(18, "Leaf", []));
    const stack = usualTarget();
    failOperation(stack, "update dashboards", () => refusalError("rejected", "no"));
    const stage = importStage(stack);
    expect((await stage.run(archive, fromOtherStack)).exitCode).toBe(3);
    stack.intercept = () => {};
    expect((await stage.run(archive, fromOtherStack)).exitCode).toBe(0);
    for (const number of [16, 17, 18]) expect(textOf(stack)).not.toContain(hexId("a", number));
  });

  it("get the id of a record that an earlier run left out and a later one created alone", async () => {
    const archive = archiveOf(naming(16, "One", 17), linking(17, "Two", []));
    const { stack, stage } = await imported(archive, { ...fromOtherStack, filter: excluding("Two") });
    await stage.run(archive, { ...fromOtherStack, ...dashboardsAlone("Two") });
    await stage.run(archive, fromOtherStack);
    expect(JSON.stringify(recordOn(stack, "dashboards", "One"))).toContain(idOf(stack, "Two"));
  });

  it("are finished without the journal where the run was cut short before the second write: their ids are dead", async () => {
    const stack = usualTarget();
    failOperation(stack, "update dashboards", () => refusalError("unauthorized", "no"));
    expect((await importStage(stack).run(pair)).stopped).toBeDefined();
    stack.intercept = () => {};
    const { plan } = await importStage(stack).run(pair);
    expect(outcomeLines(plan.items.slice(0, 2), "action").toSorted()).toEqual(["unchanged", "update"]);
    expect(textOf(stack).toLowerCase()).not.toContain(hexId("a", 16));
  });
});

it("an alert on a dashboard of a cycle is created after the dashboard's last write, which could delete it", async () => {
  const stack = usualTarget();
  const alerts = ["One", "Two"].map((name, at) =>
    alert(hexId("a", 32 + at), `On ${name}`, linking(16 + at, name, [17 - at]), archiveIds.webhook),
  );
  stack.interceptAfter = (operation, body) => {
    if (operation !== "update dashboards") return;
    for (const [id, { name }] of stack.records.get("alerts") ?? [])
      if (name === `On ${String(body?.["name"])}`) stack.records.get("alerts")?.delete(id);
  };
  const run = await importStage(stack).run([...circle, ...records({ alerts, webhooks: [hook] })]);
  expect(run.exitCode).toBe(0);
  expect(namesOn(stack, "alerts")).toEqual(expect.arrayContaining(["On One", "On Two"]));
  expect(writesOn(stack).at(-1)).toBe("create alerts");
});

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
    const run = await importStage(stack).run(chain, fromOtherStack);
    const actions = ["One", "Two", "Three"].map((name) => outcomeOf(run, name)?.action);
    expect(actions).toEqual(["update", "create", "update"]);
    for (const name of ["One", "Three"]) expectLinks(stack, name, "Two");
  });

  it("is created again, and their links are set, even if no earlier run had created it", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    // The first run leaves "Two" out, because the target has it; before the second run somebody has deleted it.
    putRecord(stack, "dashboards", linking(40, "Two", []));
    await stage.run(chain, { filter: excluding("Two") });
    deleteRecord(stack, "dashboards", "Two");
    const run = await stage.run(chain);
    expect(outcomeOf(run, "Two")).toMatchObject({ action: "create", status: "done" });
    expect(outcomeOf(run, "One")).toMatchObject({ action: "update", status: "done" });
    expectLinks(stack, "One", "Two");
  });

  it("is no reason to update other dashboards that the server keeps in another form than sent", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    stack.replaceStored = (_, body) => ({ ...body, tags: ["kept"] });
    await stage.run(chain);
    const { plan } = await stage.run(chain);
    expect(new Set(outcomeLines(plan.items.slice(0, 3), "action", "code"))).toEqual(new Set(["unchanged"]));
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
    const { plan } = await importStage(stack).run(archive, { ...dashboardsAlone("One") });
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

  it.each([
    ["and its tags were edited", true, (tiles: JsonObject[]) => tiles],
    ["and its tags were edited, without the journal", false, (tiles: JsonObject[]) => tiles],
    ["and a tile before it was removed", true, (tiles: JsonObject[]) => tiles.slice(1)],
    ["and a tile before it was removed, without the journal", false, (tiles: JsonObject[]) => tiles.slice(1)],
    ["and its tiles have another order, without the journal", false, (tiles: JsonObject[]) => tiles.toReversed()],
  ] as const)("leaves a dashboard %s, and a merge sets its link alone", async (_, isKept, edit) => {
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

describe("a link that is missing on the target", () => {
  it("is not set again if somebody has changed the dashboard since the import was interrupted", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await runKilled(stack, "before", /^update dashboards$/, () => stage.run(circle));
    changeOn(stack, "dashboards", { tags: ["theirs"] });
    const run = await stage.run(circle);
    expect(run.plan.items.filter(({ action }) => action === "update")).toEqual([]);
    expect(recordsOn(stack, "dashboards").map(({ tags }) => tags)).toEqual([["theirs"], ["theirs"]]);
  });

  it("blocks a dashboard that a killed run created, and that is stored in another form, until --on-conflict overwrite", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await runKilled(stack, "after", /^create dashboards$/, () => stage.run(circle));
    const wasLacking = ["One", "Two"].filter((name) => namesOn(stack).includes(name));
    expect(wasLacking).toHaveLength(1);
    for (const name of wasLacking) {
      const tiles = recordOn(stack, "dashboards", name)["tiles"] as JsonObject[];
      changeOn(stack, "dashboards", { tiles: tiles.map((tile) => ({ ...tile, h: 7 })) }, name);
    }
    const codesOf = async (): Promise<unknown[]> => {
      const run = await stage.run(circle);
      return wasLacking.map((name) => outcomeOf(run, name)?.code);
    };
    const blocked = wasLacking.map(() => "unfinished-import");
    // A run that has only looked at the record does not forget that it lacks links.
    expect([await codesOf(), await codesOf()]).toEqual([blocked, blocked]);
    await stage.run(circle, { onConflict: "overwrite" });
    expectLinks(stack, "One", "Two");
    expectLinks(stack, "Two", "One");
    expect(await writesDuring(stack, () => stage.run(circle))).toEqual([]);
  });

  it.each([
    ["where the import was complete", circle, true],
    ["without a journal where it closes no circle", chain, false],
  ])("is not set again %s: somebody has removed it", async (_, archive, journaled) => {
    const { stack, stage } = await imported(archive);
    const [tile = {}] = recordOn(stack, "dashboards", "One")["tiles"] as JsonObject[];
    const tiles = [{ ...tile, config: { displayType: "table", sourceId: targetIds.source } }];
    changeOn(stack, "dashboards", { tiles }, "One");
    stack.requests.length = 0;
    const run = await (journaled ? stage : importStage(stack)).run(archive);
    const code = journaled ? "edited" : "exists";
    expect(outcomeOf(run, "One")).toMatchObject({ action: "skip", code });
    expect(writesOn(stack)).toEqual([]);
  });
});
