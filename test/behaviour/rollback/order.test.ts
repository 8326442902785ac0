import { describe, expect, it } from "vitest";
import { board, dependencies, hook, logs, update } from "../../support/import-samples.ts";
import {
  importStage,
  outcomeLines,
  tileIds,
  withSecrets,
  writesOn,
  type JsonObject,
  type StackRecord,
} from "../../support/import-stage.ts";
import {
  failOperation,
  memoryStack,
  namesOn,
  putRecord,
  refusalError,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { recordOn } from "../../support/on-stack.ts";
import { importOnce, rollBackJournal, type ImportedStack } from "../../support/rollback-runs.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  linkingTable,
  records,
  source,
  tileWith,
  webhook,
} from "../../support/stack-records.ts";

// The sources and webhooks have the same ids on both sides.

const needed = { sources: [logs], webhooks: [hook] };
const created = dashboard(hexId("a", 17), "Created", archiveIds.source);
const target = (dashboards: JsonObject[], alerts: JsonObject[] = []): MemoryStack =>
  memoryStack({ dashboards, alerts, ...needed });
const archiveOf = (dashboards: JsonObject[], alerts: JsonObject[] = []): StackRecord[] =>
  records({ dashboards, alerts, ...needed });

describe("a rollback of records that reference a record which the import created", () => {
  const theirs = (config: JsonObject): JsonObject =>
    dashboard(hexId("a", 16), "Theirs", "", { tiles: [tileWith(hexId("a", 1001), "T", config)] });

  it.each([false, true])(
    "puts a dashboard back first, and then deletes what was created (force: %s)",
    async (force) => {
      const [plain, linked] = [
        theirs({ displayType: "table", sourceId: archiveIds.source }),
        theirs(linkingTable(hexId("a", 17), archiveIds.source)),
      ];
      const { stack, entries } = await importOnce(archiveOf([linked, created]), target([plain]), update);
      const { lines } = await rollBackJournal(stack, entries, { force });
      expect(lines).toEqual(["Theirs update done", "Created delete done"]);
      expect(writesOn(stack)).toEqual(["update dashboards", "delete dashboards"]);
      expect(namesOn(stack)).toEqual(["Theirs"]);
    },
  );

  it.each([false, true])("puts an alert back before it deletes what was created (force: %s)", async (force) => {
    const elsewhere = dashboard(hexId("a", 18), "Elsewhere", archiveIds.source);
    const on = (body: JsonObject): JsonObject => alert(hexId("a", 20), "Busy", body, archiveIds.webhook);
    const archive = archiveOf([elsewhere, created], [on(created)]);
    const { stack, entries } = await importOnce(archive, target([elsewhere], [on(elsewhere)]), update);
    const { outcomes } = await rollBackJournal(stack, entries, { force });
    expect(outcomes.every(({ status }) => status === "done")).toBe(true);
    expect(writesOn(stack)).toEqual(["update alerts", "delete dashboards"]);
    expect(recordOn(stack, "alerts", "Busy")).toMatchObject({ dashboardId: hexId("a", 18) });
  });
});

describe("a tile that the import added to a dashboard", () => {
  const config = { displayType: "line", sourceId: archiveIds.source };
  const tiles = ["Old", "Added"].map((name, index) => tileWith(hexId("b", index), name, config));
  const longer = dashboard(hexId("a", 18), "Grown", archiveIds.source, { tiles });
  const shorter = { ...longer, tiles: tiles.slice(0, 1) };
  const on = (tile: 0 | 1, name: string): JsonObject =>
    alert(hexId("a", 20), name, shorter, archiveIds.webhook, { tileId: hexId("b", tile) });
  const grown = (alerts: JsonObject[], imports: JsonObject[]): Promise<ImportedStack> =>
    importOnce(archiveOf([longer], imports), target([shorter], alerts), update);

  it.each([false, true])(
    "stays where somebody's alert watches it, which the server would delete (force: %s)",
    async (force) => {
      const { stack, entries } = await grown([], []);
      const [, added] = tileIds(recordOn(stack, "dashboards", "Grown"));
      putRecord(stack, "alerts", { ...on(1, "Theirs"), tileId: String(added) });
      const { outcomes } = await rollBackJournal(stack, entries, { force });
      expect(outcomeLines(outcomes, "name", "action", "code")).toEqual(["Grown blocked would-delete-alerts"]);
      expect(outcomes[0]?.message).toContain("Theirs");
      expect(writesOn(stack)).toEqual([]);
    },
  );

  it("is taken out by the next rollback, once the alert that was moved to it is put back", async () => {
    const { stack, entries } = await grown([on(0, "Busy")], [on(1, "Busy")]);
    const first = await rollBackJournal(stack, entries);
    expect(first.lines).toEqual(["Grown blocked failed would-delete-alerts", "Busy update done"]);
    const second = await rollBackJournal(stack, first.entries);
    expect(second.lines).toEqual(["Grown update done"]);
    expect(writesOn(stack)).toEqual(["update alerts", "update dashboards"]);
    expect(namesOn(stack, "alerts")).toEqual(["Busy"]);
  });

  it("stays where the import's own alert on it cannot be deleted", async () => {
    const { stack, entries } = await grown([], [on(1, "Busy")]);
    expect(namesOn(stack, "alerts")).toEqual(["Busy"]);
    failOperation(stack, "delete alerts", () => refusalError("rejected", "no"));
    expect((await rollBackJournal(stack, entries)).lines).toEqual([
      "Grown blocked failed dependency-failed",
      "Busy delete failed rejected",
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
    webhooks: [webhook(HOOK, "pager", "slack")],
    "saved-searches": [{ id: SEARCH, name: "Errors", sourceId: LOGS, tags: [] }],
    dashboards: [board],
    alerts: [alert(hexId("a", 17), "search", board, HOOK, watched)],
  });
  const filledIn = withSecrets(archive, { [`connections/${MAIN}`]: { "/password": null } });
  const all = ["connections", "sources", "webhooks", "saved-searches"];

  async function rebuilt(): Promise<ImportedStack> {
    const stack = memoryStack(Object.fromEntries([...all, "dashboards", "alerts"].map((kind) => [kind, []])));
    const stage = importStage(stack);
    const { secrets } = filledIn;
    expect((await stage.run(filledIn.records, { create: all, secrets })).exitCode).toBe(0);
    // The API has no route for one webhook.
    const get = stack.client.get.bind(stack.client);
    stack.client.get = async (kind, id) => {
      if (kind.name === "webhooks") throw refusalError("not-offered", "no such route");
      return get(kind, id);
    };
    stack.requests.length = 0;
    return { stack, entries: stage.history };
  }

  it("records that reference others are deleted first", async () => {
    const { stack, entries } = await rebuilt();
    const { outcomes } = await rollBackJournal(stack, entries);
    expect(outcomes.filter(({ status }) => status !== "done")).toEqual([]);
    const order = writesOn(stack);
    const at = (kind: string): number => order.indexOf(`delete ${kind}`);
    expect(order).toHaveLength(6);
    expect(at("alerts")).toBeLessThan(Math.min(at("webhooks"), at("saved-searches")));
    expect(Math.max(at("dashboards"), at("saved-searches"))).toBeLessThan(at("sources"));
    expect(at("sources")).toBeLessThan(at("connections"));
  });

  it("keeps a source that somebody's saved search is on (in-use), and the connection of that source", async () => {
    const { stack, entries } = await rebuilt();
    const sourceId = recordOn(stack, "sources", "Logs").id;
    putRecord(stack, "saved-searches", { id: hexId("e", 9), name: "Theirs", sourceId, tags: [] });
    const { outcomes } = await rollBackJournal(stack, entries);
    const kept = outcomes.filter(({ action }) => action === "blocked");
    expect(outcomeLines(kept, "kind", "code")).toEqual(["sources in-use", "connections in-use"]);
    expect(namesOn(stack, "saved-searches")).toEqual(["Theirs"]);
    expect(namesOn(stack, "connections")).toEqual(["Main"]);
  });
});

describe("a rollback of created dashboards that link to each other", () => {
  const linking = (number: number, to: number): JsonObject =>
    board(number, { tiles: [tileWith(hexId("d", number), "Table", linkingTable(hexId("a", to), archiveIds.source))] });
  const circle = records({ dashboards: [linking(16, 17), linking(17, 16)], ...dependencies.ours });

  it.each([
    ["deletes both", undefined, ["done", "done"]],
    ["deletes one though the other could not be deleted", 1, ["failed", "done"]],
  ])("%s", async (_, refused, ends) => {
    const { stack, entries } = await importOnce(circle);
    failOperation(stack, "delete dashboards", () => refusalError("rejected", "no"), refused ?? 0);
    const { outcomes } = await rollBackJournal(stack, entries);
    expect(outcomes.map(({ status }) => status)).toEqual(ends);
    expect(namesOn(stack)).toHaveLength(refused ?? 0);
    expect(writesOn(stack)).toEqual(["delete dashboards", "delete dashboards"]);
  });
});
