import { describe, expect, it } from "vitest";
import { archiveOf, fromOtherStack, hook, newStage, usualTarget } from "../../support/import-samples.ts";
import {
  bodiesSentTo,
  dashboardsAlone,
  excluding,
  importInto,
  importStage,
  outcomeLines,
  outcomeOf,
  writesDuring,
  writesOn,
  type JsonObject,
} from "../../support/import-stage.ts";
import { failOperation, namesOn, refusalError, runKilled, type MemoryStack } from "../../support/memory-stack.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { alert, archiveIds, hexId, records, targetIds } from "../../support/stack-records.ts";
import { chain, circle, expectLinks, idOf, imported, linking, linksOf, mentioning } from "./linked-boards.ts";

const textOf = (stack: MemoryStack): string => JSON.stringify(recordsOn(stack, "dashboards"));

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
  it("fails when the stack refuses it (exit 3)", async () => {
    const stack = usualTarget();
    failOperation(stack, "update dashboards", () => refusalError("rejected", "no"));
    const { outcomes, exitCode } = await importInto(stack, circle);
    expect(outcomeLines(outcomes.slice(0, 2), "status", "code").toSorted()).toEqual(["done", "failed rejected"]);
    expect(exitCode).toBe(3);
  });

  it("looks first: what somebody has edited since its create stays, and is named (exit 3)", async () => {
    const stack = usualTarget();
    stack.interceptAfter = (operation) => {
      if (operation === "create dashboards") changeOn(stack, "dashboards", { tags: ["theirs"] });
    };
    const run = await importInto(stack, circle);
    expect(run.exitCode).toBe(3);
    expect(run.outcomes.filter(({ code }) => code === "changed-since")).toMatchObject([{ status: "failed" }]);
    expect(writesOn(stack)).toEqual(["create dashboards", "create dashboards"]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["theirs"] }, { tags: ["theirs"] }]);
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
    const run = await importInto(stack, [...archiveOf(linking(15, "Last", [])), ...circle], { concurrency: 1 });
    expect(run.stopped?.code).toBe("unauthorized");
    expect(writesOn(stack)).not.toContain("update dashboards");
  });

  it("is no failure of its record where the run ended before what it leads to was written", async () => {
    const stack = usualTarget();
    refuseBoard(stack, "One", "unauthorized");
    const run = await importInto(stack, circle);
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
    const { plan } = await importInto(stack, pair);
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
    expect((await importInto(stack, pair)).stopped).toBeDefined();
    stack.intercept = () => {};
    const { plan } = await importInto(stack, pair);
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
  const run = await importInto(stack, [...circle, ...records({ alerts, webhooks: [hook] })]);
  expect(run.exitCode).toBe(0);
  expect(namesOn(stack, "alerts")).toEqual(expect.arrayContaining(["On One", "On Two"]));
  expect(writesOn(stack).at(-1)).toBe("create alerts");
});

describe("a link that is missing on the target", () => {
  it("is not set again if somebody has changed the dashboard since the import was interrupted", async () => {
    const { stack, stage } = newStage();
    await runKilled(stack, "before", /^update dashboards$/, () => stage.run(circle));
    changeOn(stack, "dashboards", { tags: ["theirs"] });
    const run = await stage.run(circle);
    expect(run.plan.items.filter(({ action }) => action === "update")).toEqual([]);
    expect(recordsOn(stack, "dashboards").map(({ tags }) => tags)).toEqual([["theirs"], ["theirs"]]);
  });

  it("blocks a dashboard that a killed run created, and that is stored in another form, until --on-conflict overwrite", async () => {
    const { stack, stage } = newStage();
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
