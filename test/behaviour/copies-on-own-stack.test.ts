import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { importInto, planInto, storedRecords, tileIds, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { journalOf } from "../support/resume-into.ts";
import { alert, dashboard, hexId, records, source } from "../support/stack-records.ts";
import { needs } from "../support/usual-stacks.ts";

function linked(number: number, name: string, to: number): JsonObject {
  const config = {
    displayType: "table",
    sourceId: hexId("a", 1),
    onClick: { type: "dashboard", target: { mode: "id", id: hexId("a", to) } },
  };
  return dashboard(hexId("a", number), name, "", { tiles: [{ id: hexId("d", number), name: "Table", config }] });
}

const overview = linked(16, "Overview", 17);
const latency = linked(17, "Latency", 16);
const slow = alert(hexId("a", 32), "Slow", latency, hexId("a", 2));
const content = { dashboards: [overview, latency], alerts: [slow], ...needs.ours };
const archive = records(content);

/** The archive's own stack, on which somebody has since changed one dashboard. */
function ownStack(changed: JsonObject = { ...latency, tags: ["theirs"] }): MemoryStack {
  return memoryStack({ ...content, dashboards: [overview, changed] });
}

describe("importing onto the archive's own stack", () => {
  it("never takes somebody's removed link for an import that was cut short", async () => {
    const tiles = [{ id: hexId("d", 17), name: "Table", config: { displayType: "table", sourceId: hexId("a", 1) } }];
    const stack = ownStack({ ...latency, tiles });
    await expect(planInto(stack, archive, { onConflict: "fail" })).rejects.toMatchObject({ code: "incomplete" });
    await importInto(stack, archive);
    expect(writesOn(stack)).toEqual([]);
  });

  it("puts copies next to what differs, bound to each other, and makes no more of them the next time", async () => {
    const stack = ownStack();
    const journal = journalOf();
    await importInto(stack, archive, { onConflict: "duplicate" }, journal);
    const dashboards = storedRecords(stack, "dashboards");
    const copies = dashboards.filter(({ id }) => !String(id).startsWith("aaaa"));
    expect(copies.map(({ name }) => String(name)).toSorted()).toEqual(["Latency", "Overview"]);
    expect(JSON.stringify(copies)).not.toMatch(/"id":"a{20}/);
    const copy = copies.find(({ name }) => name === "Latency") ?? {};
    const alerts = storedRecords(stack, "alerts");
    expect(
      alerts.filter((each) => each["dashboardId"] === copy["id"] && each["tileId"] === tileIds(copy)[0]),
    ).toHaveLength(1);
    stack.requests.length = 0;
    await importInto(stack, archive, { onConflict: "duplicate" }, journalOf(journal.appended));
    expect(writesOn(stack)).toEqual([]);
  });

  it("makes copies under another name, and never renames what is there", async () => {
    const stack = ownStack();
    const naming = { namePrefix: "[copy] ", tags: [] };
    await importInto(stack, archive, { naming, onConflict: "update" });
    const names = storedRecords(stack, "dashboards").map(({ name }) => name);
    expect(names.map(String).toSorted()).toEqual(["Latency", "Overview", "[copy] Latency", "[copy] Overview"]);
    expect(writesOn(stack).filter((name) => name.startsWith("create"))).toHaveLength(3);
    stack.requests.length = 0;
    await importInto(stack, archive, { naming, onConflict: "update" });
    expect(writesOn(stack)).toEqual([]);
  });
});

describe("two sources of the archive", () => {
  it("are never matched with one of the target's", async () => {
    const old = { ...source(hexId("a", 3), "Old name", hexId("c", 1), "t2") };
    const first = { ...source(hexId("a", 1), "Logs", hexId("c", 1), "t1") };
    const target = memoryStack({
      dashboards: [],
      alerts: [],
      webhooks: [],
      sources: [source(hexId("b", 1), "Logs", hexId("c", 2), "t2")],
    });
    const boards = [dashboard(hexId("a", 16), "One", hexId("a", 1)), dashboard(hexId("a", 17), "Two", hexId("a", 3))];
    const plan = await planInto(target, records({ dashboards: boards, sources: [first, old] }));
    expect(new Set(plan.matches.filter(({ space }) => space === "sources").map(({ to }) => to)).size).toBe(1);
    expect(plan.items.filter(({ kind }) => kind === "dashboards").map(({ code }) => code)).toContain("missing-source");
  });
});

it("refuses a selection that leaves nothing", async () => {
  await expect(planInto(ownStack(), archive, { filter: { include: ["nope*"], exclude: [] } })).rejects.toMatchObject({
    code: "usage",
  });
});
