import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { importInto, planInto } from "../../support/import-into.ts";
import type { MemoryStack } from "../../support/memory-stack.ts";
import { memoryStack, refuse } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, tileOf, webhook } from "../../support/stack-records.ts";

const [connectionA, connectionB] = [hexId("c", 1), hexId("c", 2)];
const logsA = source(hexId("a", 1), "Logs", connectionA);
const logsB = source(hexId("b", 1), "Logs", connectionB);
const hookA = webhook(hexId("a", 2), "oncall");
const hookB = webhook(hexId("b", 2), "oncall");
const overview = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
const busy = alert(hexId("a", 32), "Busy", overview, hexId("a", 2));
const archive = records({ dashboards: [overview], alerts: [busy], sources: [logsA], webhooks: [hookA] });

function bareTarget(more: Record<string, JsonObject[]> = {}): MemoryStack {
  return memoryStack({ dashboards: [], alerts: [], sources: [logsB], webhooks: [hookB], ...more });
}

function only(stack: MemoryStack, kind: string): JsonObject {
  const [body, ...others] = stack.records.get(kind)?.values() ?? [];
  expect(others).toEqual([]);
  expect(body).toBeDefined();
  return body as JsonObject;
}

describe("importing into a bare stack", () => {
  it("maps sources, tiles and webhooks, and says what was created", async () => {
    const target = bareTarget();
    const result = await importInto(target, archive);
    expect(
      result.outcomes.filter(({ action }) => action === "create").map(({ kind, status }) => [kind, status]),
    ).toEqual([
      ["dashboards", "done"],
      ["alerts", "done"],
    ]);
    const created = only(target, "dashboards");
    const bound = only(target, "alerts");
    expect(created).toMatchObject({ name: "Overview", tiles: [{ config: { sourceId: hexId("b", 1) } }] });
    expect(bound).toMatchObject({
      dashboardId: created["id"],
      tileId: tileOf(created),
      channel: { webhookId: hexId("b", 2) },
      channels: [{ webhookId: hexId("b", 2) }],
    });
    expect(JSON.stringify([created, bound])).not.toContain("aaaaaaaa");
  });

  it("sends neither ids nor what belongs to the server", async () => {
    const target = bareTarget();
    await importInto(target, archive);
    const sent = target.requests.flatMap(({ operation, body }) =>
      operation.startsWith("create") && body ? [body] : [],
    );
    expect(sent).toHaveLength(2);
    for (const body of sent) expect(Object.keys(body)).not.toEqual(expect.arrayContaining(["id"]));
    expect(sent[0]).not.toHaveProperty("tiles.0.id");
    expect(sent[1]).not.toHaveProperty("state");
  });

  it("writes nothing the second time", async () => {
    const target = bareTarget();
    await importInto(target, archive);
    target.requests.length = 0;
    const again = await importInto(target, archive);
    expect(target.requests.map(({ operation }) => operation).filter((name) => !name.startsWith("list"))).toEqual([]);
    expect(
      again.outcomes.filter(({ kind }) => kind === "dashboards" || kind === "alerts").map(({ action }) => action),
    ).toEqual(["unchanged", "unchanged"]);
  });

  it("counts records of equal content instead of guessing", async () => {
    const twins = [16, 17, 18].map((number) => dashboard(hexId("a", number), "Twin", hexId("a", 1)));
    const target = bareTarget();
    await importInto(target, records({ dashboards: twins.slice(0, 2), sources: [logsA] }));
    const again = await importInto(target, records({ dashboards: twins, sources: [logsA] }));
    const actions = again.outcomes.filter(({ kind }) => kind === "dashboards").map(({ action }) => action);
    expect(actions.toSorted()).toEqual(["create", "unchanged", "unchanged"]);
    expect(target.records.get("dashboards")?.size).toBe(3);
  });
});

describe("links between dashboards", () => {
  const linkTo = (id: string): JsonObject => ({
    tiles: [
      {
        id: hexId("d", Number.parseInt(id.slice(-4), 16)),
        name: "Table",
        x: 0,
        y: 0,
        w: 6,
        h: 3,
        config: {
          displayType: "table",
          sourceId: hexId("a", 1),
          onClick: { type: "dashboard", target: { mode: "id", id } },
        },
      },
    ],
  });

  it("closes a cycle with one update", async () => {
    const pair = [
      dashboard(hexId("a", 16), "One", "", linkTo(hexId("a", 17))),
      dashboard(hexId("a", 17), "Two", "", linkTo(hexId("a", 16))),
    ];
    const target = bareTarget();
    const result = await importInto(target, records({ dashboards: pair, sources: [logsA] }));
    expect(result.outcomes.filter(({ kind }) => kind === "dashboards").map(({ status }) => status)).toEqual([
      "done",
      "done",
    ]);
    const operations = target.requests.map(({ operation }) => operation);
    expect(operations.filter((name) => name === "create dashboards")).toHaveLength(2);
    expect(operations.filter((name) => name === "update dashboards")).toHaveLength(1);
    const stored = [...(target.records.get("dashboards")?.values() ?? [])];
    const idOf = (name: string): unknown => stored.find((body) => body["name"] === name)?.["id"];
    const linked = (name: string): unknown =>
      (stored.find((body) => body["name"] === name) as { tiles: { config: { onClick: { target: { id: string } } } }[] })
        .tiles[0]?.config.onClick.target.id;
    expect(linked("One")).toBe(idOf("Two"));
    expect(linked("Two")).toBe(idOf("One"));
  });

  it("closes a link to itself with one update that keeps the tile's new id", async () => {
    const self = dashboard(hexId("a", 16), "Self", "", linkTo(hexId("a", 16)));
    const target = bareTarget();
    await importInto(target, records({ dashboards: [self], sources: [logsA] }));
    const update = target.requests.find(({ operation }) => operation === "update dashboards")?.body;
    const stored = only(target, "dashboards");
    expect(update).toMatchObject({
      tiles: [{ id: tileOf(stored), config: { onClick: { target: { id: stored["id"] } } } }],
    });
    expect(update).not.toHaveProperty("id");
  });

  it("rewrites ids in text, and creates what the text names first", async () => {
    const notes = dashboard(hexId("a", 16), "Notes", hexId("a", 1), {
      tiles: [
        {
          id: "md",
          name: "Notes",
          config: {
            displayType: "markdown",
            markdown: `see https://o11y.example.com/dashboards/${hexId("a", 17)}?x=1`,
          },
        },
      ],
    });
    const target = bareTarget();
    const result = await importInto(
      target,
      records({ dashboards: [notes, dashboard(hexId("a", 17), "Other", hexId("a", 1))], sources: [logsA] }),
    );
    const stored = [...(target.records.get("dashboards")?.values() ?? [])];
    const other = stored.find((body) => body["name"] === "Other");
    expect(JSON.stringify(stored)).toContain(`dashboards/${String(other?.["id"])}?x=1`);
    expect(JSON.stringify(stored)).not.toContain(hexId("a", 17));
    expect(target.requests.filter(({ operation }) => operation.startsWith("update"))).toEqual([]);
    expect(result.plan.items[0]?.rewrites).toEqual(["/tiles/0/config/markdown"]);
  });
});

describe("what cannot be matched", () => {
  it("blocks the dashboard and the alert that needs it, and goes on with the rest", async () => {
    const target = bareTarget();
    const lost = dashboard(hexId("a", 18), "Lost", hexId("a", 9));
    const lostAlert = alert(hexId("a", 33), "Lost alert", lost, hexId("a", 2));
    const missing = source(hexId("a", 9), "Nowhere", connectionA, "nowhere");
    const result = await importInto(
      target,
      records({
        dashboards: [overview, lost],
        alerts: [busy, lostAlert],
        sources: [logsA, missing],
        webhooks: [hookA],
      }),
    );
    const fate = (name: string): unknown[] => {
      const outcome = result.outcomes.find((each) => each.name === name);
      return [outcome?.action, outcome?.code];
    };
    expect(fate("Overview")).toEqual(["create", undefined]);
    expect(fate("Busy")).toEqual(["create", undefined]);
    expect(fate("Lost")).toEqual(["blocked", "missing-source"]);
    expect(fate("Lost alert")).toEqual(["blocked", "dependency-blocked"]);
    expect(result.plan.unresolved).toMatchObject([
      { space: "sources", name: "Nowhere", reason: "missing", neededBy: 1 },
    ]);
  });

  it("does not choose between two sources of the same name", async () => {
    const target = memoryStack({
      dashboards: [],
      alerts: [],
      sources: [logsB, { ...logsB, id: hexId("b", 3) }],
      webhooks: [hookB],
    });
    const plan = await planInto(target, archive);
    expect(plan.items.find(({ name }) => name === "Overview")).toMatchObject({
      action: "blocked",
      code: "ambiguous-source",
    });
    const mapped = await planInto(target, archive, { mapping: { sources: { Logs: hexId("b", 3) } } });
    expect(mapped.items.find(({ name }) => name === "Overview")).toMatchObject({ action: "create" });
  });

  it("maps connections through matched sources", async () => {
    const config = { configType: "sql", displayType: "table", connectionId: connectionA, sqlTemplate: "SELECT 1" };
    const sql = dashboard(hexId("a", 16), "SQL", "", { tiles: [{ id: "t1", name: "SQL", config }] });
    const target = bareTarget();
    await importInto(target, records({ dashboards: [sql], sources: [logsA] }));
    expect(only(target, "dashboards")).toMatchObject({ tiles: [{ config: { connectionId: connectionB } }] });
  });

  it("warns of what a map file names and the archive lacks, some of many by name", async () => {
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`nothing ${index}`, "Logs"]));
    const { warnings } = await planInto(bareTarget(), archive, { mapping: { sources: { Logs: "Logs", ...many } } });
    expect(warnings).toMatchObject([
      { code: "map-entry-unused", message: expect.stringContaining('"nothing 4", 2 more') },
    ]);
  });

  it("refuses a map file that names what does not exist", async () => {
    const target = bareTarget();
    await expect(planInto(target, archive, { mapping: { sources: { Logs: "Lgos" } } })).rejects.toMatchObject({
      code: "usage",
    });
    await expect(planInto(target, archive, { mapping: { nonsense: { a: "b" } } })).rejects.toMatchObject({
      code: "usage",
    });
  });
});

describe("a target that does not list webhooks", () => {
  const managed = (more: Record<string, JsonObject[]> = {}): MemoryStack =>
    memoryStack({ dashboards: [], alerts: [], sources: [logsB], ...more }, "managed");

  it("blocks the alert, and takes a default webhook on trust", async () => {
    const blocked = await planInto(managed(), archive);
    expect(blocked.items.find(({ name }) => name === "Busy")).toMatchObject({
      action: "blocked",
      code: "missing-webhook",
    });
    const target = managed();
    await importInto(target, archive, { defaults: { webhooks: hexId("b", 7) } });
    expect(only(target, "alerts")).toMatchObject({ channel: { webhookId: hexId("b", 7) } });
  });

  it("learns webhooks from the alerts that are there already", async () => {
    const target = managed();
    await importInto(target, archive, { defaults: { webhooks: hexId("b", 7) } });
    const again = await planInto(target, archive);
    expect(again.items.find(({ name }) => name === "Busy")).toMatchObject({ action: "unchanged" });
  });
});

describe("what exists already with other content", () => {
  const changed = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
  const theirs = alert(hexId("b", 32), "Theirs", changed, hexId("b", 2));
  const target = (): MemoryStack => bareTarget({ dashboards: [changed], alerts: [theirs] });

  it("is left alone by default, and its tiles are used for new alerts", async () => {
    const stack = target();
    const result = await importInto(stack, archive);
    expect(result.outcomes[0]).toMatchObject({ action: "skip", code: "exists", targetId: hexId("b", 16) });
    expect(
      stack.requests.filter(({ operation }) => /create|update/.test(operation)).map(({ operation }) => operation),
    ).toEqual(["create alerts"]);
  });

  it("is updated with the target's own tile ids, and cleared of what the archive does not have", async () => {
    const stack = target();
    const bare = { ...overview, savedQuery: undefined } as unknown as JsonObject;
    await importInto(stack, records({ dashboards: [bare], alerts: [busy], sources: [logsA], webhooks: [hookA] }), {
      onConflict: "update",
    });
    const update = stack.requests.find(({ operation }) => operation === "update dashboards")?.body;
    expect(update).toMatchObject({ tags: [], savedQuery: null, containers: [], tiles: [{ id: tileOf(changed) }] });
    expect(stack.records.get("alerts")?.has(hexId("b", 32))).toBe(true);
  });

  it("is not updated where that would delete an alert", async () => {
    const stack = target();
    const other = {
      ...overview,
      tiles: [{ id: "md", name: "Only text", config: { displayType: "markdown", markdown: "x" } }],
    };
    const plan = await planInto(stack, records({ dashboards: [other], sources: [logsA] }), { onConflict: "update" });
    expect(plan.items[0]).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
  });

  it("gets a copy next to it, alerts included", async () => {
    const stack = target();
    const result = await importInto(stack, archive, { onConflict: "duplicate" });
    const copy = result.outcomes.find(({ name }) => name === "Overview");
    expect(copy).toMatchObject({ action: "create", status: "done" });
    const alerts = [...(stack.records.get("alerts")?.values() ?? [])];
    expect(alerts.find((body) => body["name"] === "Busy")?.["dashboardId"]).toBe(copy?.targetId);
  });

  it("stops everything under fail", async () => {
    await expect(planInto(target(), archive, { onConflict: "fail" })).rejects.toMatchObject({ code: "incomplete" });
  });
});

describe("failures while writing", () => {
  it("names what failed and what depended on it", async () => {
    const target = bareTarget();
    target.intercept = (operation) => {
      if (operation === "create dashboards") throw refuse("rejected", "tiles.0.w: too wide");
    };
    const { outcomes, stopped } = await importInto(target, archive);
    expect(outcomes[0]).toMatchObject({
      action: "create",
      status: "failed",
      code: "rejected",
      message: "tiles.0.w: too wide",
    });
    expect(outcomes[1]).toMatchObject({ action: "blocked", status: "failed", code: "dependency-failed" });
    expect(stopped).toBeUndefined();
  });

  it("ends the run when the key is refused", async () => {
    const target = bareTarget();
    target.intercept = (operation) => {
      if (operation.startsWith("create")) throw refuse("unauthorized", "the stack refused the key");
    };
    const { outcomes, stopped } = await importInto(target, archive);
    expect(stopped?.code).toBe("unauthorized");
    expect(outcomes[1]).toMatchObject({ status: "planned", code: "not-started" });
  });
});

describe("naming and filters", () => {
  it("prefixes names, adds tags, and recognises its own work again", async () => {
    const target = bareTarget();
    const naming = { namePrefix: "[staging] ", tags: ["seeded"] };
    await importInto(target, archive, { naming });
    expect(only(target, "dashboards")).toMatchObject({ name: "[staging] Overview", tags: ["seeded"] });
    expect(only(target, "alerts")).toMatchObject({ name: "[staging] Busy" });
    const again = await planInto(target, archive, { naming });
    expect(again.items.slice(0, 2).map(({ action }) => action)).toEqual(["unchanged", "unchanged"]);
  });

  it("finds what is only pointed to under its own name, without the prefix", async () => {
    const target = bareTarget();
    await importInto(target, archive);
    const naming = { namePrefix: "[copy] ", tags: [] };
    const plan = await planInto(target, archive, { naming, filter: { include: ["Busy"], exclude: [] } });
    expect(plan.items.filter(({ kind }) => kind === "alerts")).toMatchObject([{ name: "Busy", action: "create" }]);
  });

  it("imports what is asked for, and blocks what needs something that is not", async () => {
    const plan = await planInto(bareTarget(), archive, { filter: { include: ["Bus*"], exclude: [] } });
    expect(plan.items.filter(({ action }) => action !== "skip")).toMatchObject([
      { name: "Busy", code: "missing-dashboard" },
    ]);
    const kindsOnly = await planInto(bareTarget(), archive, { kinds: ["dashboards"] });
    expect(kindsOnly.items.map(({ kind }) => kind)).toEqual(["dashboards"]);
  });
});
