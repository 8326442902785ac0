import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { importInto, importStage, withSecrets, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack, refuse } from "../support/memory-stack.ts";
import type { JournalEntry } from "../support/resume-into.ts";
import { journalOf, undo } from "../support/resume-into.ts";
import { alert, dashboard, hexId, records, source, webhook } from "../support/stack-records.ts";
import { logs } from "../support/usual-stacks.ts";

const sources = [logs];
const webhooks = [webhook(hexId("a", 2), "pager")];
const created = dashboard(hexId("a", 17), "Created", hexId("a", 1));

async function imported(stack: MemoryStack, archive: readonly StackRecord[]): Promise<readonly JournalEntry[]> {
  const journal = journalOf();
  const { outcomes } = await importInto(stack, archive, { onConflict: "update" }, journal);
  expect(outcomes.filter(({ status }) => status !== "done")).toEqual([]);
  stack.requests.length = 0;
  return journal.appended;
}

const namesOf = (stack: MemoryStack, kind: string): string[] =>
  [...(stack.records.get(kind)?.values() ?? [])].map(({ name }) => String(name));

describe("a record of the target that the import pointed to what it created", () => {
  const linked = (id: string, target?: JsonObject): JsonObject => {
    const onClick = target && { onClick: { type: "dashboard", target: { mode: "id", id: target["id"] ?? null } } };
    const config = { displayType: "table", sourceId: hexId("a", 1), ...onClick };
    return { ...dashboard(id, "Theirs", hexId("a", 1)), tiles: [{ id: `${id.slice(0, 20)}f001`, name: "T", config }] };
  };
  const target = (): MemoryStack =>
    memoryStack({ dashboards: [linked(hexId("b", 16))], alerts: [], sources, webhooks });
  const archive = records({ dashboards: [linked(hexId("a", 16), created), created], sources, webhooks });

  it("is put back first, and what was created is deleted by the same rollback", async () => {
    const stack = target();
    const entries = await imported(stack, archive);
    for (const force of [false, true]) {
      const before = new Map(stack.records.get("dashboards"));
      const { outcomes } = await undo(stack, entries, { force });
      expect(outcomes.map(({ name, action, status }) => [name, action, status])).toEqual([
        ["Theirs", "update", "done"],
        ["Created", "delete", "done"],
      ]);
      expect(writesOn(stack)).toEqual(["update dashboards", "delete dashboards"]);
      expect(namesOf(stack, "dashboards")).toEqual(["Theirs"]);
      for (const [id, body] of before) stack.records.get("dashboards")?.set(id, body);
      stack.requests.length = 0;
    }
  });

  it.each(["rejected", "not-found"] as const)(
    "keeps what was created where it cannot be put back (dependency-failed), even under --force: %s",
    async (code) => {
      const stack = target();
      const entries = await imported(stack, archive);
      stack.intercept = (operation) => {
        if (operation === "update dashboards") throw refuse(code, "no");
      };
      const { outcomes } = await undo(stack, entries, { force: true });
      expect(outcomes.map((outcome) => [outcome.name, outcome.status, outcome.code])).toEqual([
        ["Theirs", "failed", code],
        ["Created", "failed", "dependency-failed"],
      ]);
      expect(namesOf(stack, "dashboards").toSorted()).toEqual(["Created", "Theirs"]);
    },
  );
});

describe("an alert of the target that the import moved", () => {
  const elsewhere = dashboard(hexId("a", 18), "Elsewhere", hexId("a", 1));
  const on = (body: JsonObject): JsonObject => alert(hexId("a", 20), "Busy", body, hexId("a", 2));

  it("to a dashboard that it created is put back before that is deleted, also under --force", async () => {
    for (const force of [false, true]) {
      const stack = memoryStack({ dashboards: [elsewhere], alerts: [on(elsewhere)], sources, webhooks });
      const archive = records({ dashboards: [elsewhere, created], alerts: [on(created)], sources, webhooks });
      const entries = await imported(stack, archive);
      const { outcomes } = await undo(stack, entries, { force });
      expect(outcomes.every(({ status }) => status === "done")).toBe(true);
      expect(writesOn(stack)).toEqual(["update alerts", "delete dashboards"]);
      expect(stack.records.get("alerts")?.get(hexId("a", 20))).toMatchObject({ dashboardId: hexId("a", 18) });
    }
  });

  it("to a tile that it added is put back before the tile is taken out, which would delete the alert", async () => {
    const tiles = elsewhere["tiles"] as JsonObject[];
    const added = { ...tiles[0], id: `${"a".repeat(20)}f002`, name: "Added" };
    const longer = { ...elsewhere, tiles: [...tiles, added] };
    const stack = memoryStack({ dashboards: [elsewhere], alerts: [on(elsewhere)], sources, webhooks });
    const moved = { ...on(elsewhere), tileId: added.id };
    stack.keep = (_, body) => ({
      ...body,
      ...(body["tiles"] !== undefined && {
        tiles: (body["tiles"] as JsonObject[]).map((tile) => ({ id: added.id, ...tile })),
      }),
    });
    const entries = await imported(stack, records({ dashboards: [longer], alerts: [moved], sources, webhooks }));
    expect((await undo(stack, entries)).outcomes.every(({ status }) => status === "done")).toBe(true);
    expect(writesOn(stack)).toEqual(["update alerts", "update dashboards"]);
  });
});

describe("a dashboard to which the import added a tile", () => {
  const tile = (n: number, name: string): JsonObject => ({
    id: `${"b".repeat(20)}f00${n}`,
    name,
    config: { displayType: "line", sourceId: hexId("a", 1) },
  });
  const shorter = { ...dashboard(hexId("a", 18), "Grown", hexId("a", 1)), tiles: [tile(1, "Old")] };
  const longer = { ...shorter, tiles: [tile(1, "Old"), tile(2, "Added")] };
  const on = (tileId: unknown, name: string): JsonObject => ({
    ...alert(hexId("a", 20), name, shorter, hexId("a", 2)),
    tileId: String(tileId),
  });
  const target = (alerts: JsonObject[]): MemoryStack =>
    Object.assign(memoryStack({ dashboards: [shorter], alerts, sources, webhooks }), {
      // A tile that is new gets an id.
      keep: (_: unknown, body: JsonObject) => ({
        ...body,
        ...(body["tiles"] !== undefined && {
          tiles: (body["tiles"] as JsonObject[]).map((each) => ({ id: tile(2, "Added")["id"] ?? null, ...each })),
        }),
      }),
    });

  it("is left alone (in-use) where somebody's alert watches that tile by now, which the server would delete", async () => {
    const stack = target([]);
    const entries = await imported(stack, records({ dashboards: [longer], sources, webhooks }));
    const now = stack.records.get("dashboards")?.get(hexId("a", 18)) as JsonObject;
    const added = (now["tiles"] as JsonObject[]).find(({ name }) => name === "Added");
    stack.records.get("alerts")?.set(hexId("a", 20), on(added?.["id"], "Theirs"));
    const { outcomes } = await undo(stack, entries);
    expect(outcomes.map(({ name, action, code }) => [name, action, code])).toEqual([["Grown", "skip", "in-use"]]);
    expect(outcomes[0]?.message).toContain("Theirs");
    expect(writesOn(stack)).toEqual([]);
  });

  it("is put back though the import's own alert on that tile could not be deleted: the server deletes it", async () => {
    const stack = target([]);
    const ours = on(tile(2, "Added")["id"], "Ours");
    const entries = await imported(stack, records({ dashboards: [longer], alerts: [ours], sources, webhooks }));
    expect(namesOf(stack, "alerts")).toEqual(["Ours"]);
    stack.intercept = (operation) => {
      if (operation === "delete alerts") throw refuse("rejected", "no");
    };
    const { outcomes } = await undo(stack, entries);
    expect(outcomes.map(({ name, action, status }) => [name, action, status])).toEqual([
      ["Ours", "delete", "failed"],
      ["Grown", "update", "done"],
    ]);
  });

  it("waits for the alert that is put back to another tile, and stays where that cannot be", async () => {
    const stack = target([on(tile(1, "Old")["id"], "Busy")]);
    const archive = records({ dashboards: [longer], alerts: [on(tile(2, "Added")["id"], "Busy")], sources, webhooks });
    const entries = await imported(stack, archive);
    stack.intercept = (operation) => {
      if (operation === "update alerts") throw refuse("rejected", "no");
    };
    const { outcomes } = await undo(stack, entries);
    expect(outcomes.map(({ name, status, code }) => [name, status, code])).toEqual([
      ["Busy", "failed", "rejected"],
      ["Grown", "failed", "dependency-failed"],
    ]);
  });
});

describe("a rollback of connections, sources, saved searches and webhooks", () => {
  const [MAIN, LOGS, SEARCH, HOOK] = [hexId("c", 1), hexId("b", 1), hexId("e", 1), hexId("d", 1)];
  const board = dashboard(hexId("a", 16), "Board", LOGS);
  const watched = { source: "saved_search", savedSearchId: SEARCH, dashboardId: null, tileId: null };
  const archive = records({
    connections: [{ id: MAIN, name: "Main", host: "http://db", username: "reader" }],
    sources: [source(LOGS, "Logs", MAIN)],
    webhooks: [{ ...webhook(HOOK, "pager"), service: "slack" }],
    "saved-searches": [{ id: SEARCH, name: "Errors", sourceId: LOGS, tags: [] }],
    dashboards: [board],
    alerts: [{ ...alert(hexId("a", 17), "search", board, HOOK), ...watched }],
  });
  const filledIn = withSecrets(archive, { [`connections/${MAIN}`]: { "/password": null } });
  const all = ["connections", "sources", "webhooks", "saved-searches"];
  const rebuilt = async (): Promise<{ stack: MemoryStack; history: readonly JournalEntry[] }> => {
    const lists = Object.fromEntries([...all, "dashboards", "alerts"].map((kind) => [kind, []]));
    const stack = memoryStack(lists);
    const stage = importStage(stack);
    const { secrets } = filledIn;
    expect((await stage.run(filledIn.records, { create: all, secrets })).exitCode).toBe(0);
    // The API has no route for one webhook.
    const get = stack.client.get.bind(stack.client);
    stack.client.get = async (kind, id) => {
      if (kind.name === "webhooks") throw refuse("not-offered", "no such route");
      return get(kind, id);
    };
    stack.requests.length = 0;
    return { stack, history: stage.history };
  };

  it("deletes what points to others first", async () => {
    const { stack, history } = await rebuilt();
    const { outcomes } = await undo(stack, history);
    expect(outcomes.filter(({ status }) => status !== "done")).toEqual([]);
    const order = writesOn(stack);
    const at = (kind: string): number => order.indexOf(`delete ${kind}`);
    expect(order).toHaveLength(6);
    for (const [first, then] of [
      ["alerts", "webhooks"],
      ["alerts", "saved-searches"],
      ["dashboards", "sources"],
      ["saved-searches", "sources"],
      ["sources", "connections"],
    ] as const) {
      expect(at(first)).toBeLessThan(at(then));
    }
  });

  it("keeps a source that somebody's saved search is on (in-use), and the connection of that source", async () => {
    const { stack, history } = await rebuilt();
    const [logs] = stack.records.get("sources")?.keys() ?? [];
    const theirs = { id: hexId("e", 9), name: "Theirs", sourceId: logs ?? "", tags: [] };
    stack.records.get("saved-searches")?.set(theirs.id, theirs);
    const { outcomes } = await undo(stack, history);
    const kept = outcomes.filter(({ action }) => action === "skip").map(({ kind, code }) => [kind, code]);
    expect(kept).toEqual([
      ["sources", "in-use"],
      ["connections", "in-use"],
    ]);
    expect(namesOf(stack, "saved-searches")).toEqual(["Theirs"]);
    expect(namesOf(stack, "connections")).toEqual(["Main"]);
  });
});
