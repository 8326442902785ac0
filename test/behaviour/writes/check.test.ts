import { describe, expect, it } from "vitest";
import {
  archiveOf,
  board,
  dependencies,
  logs,
  newStage,
  theirLogs,
  update,
  usualTarget,
} from "../../support/import-samples.ts";
import {
  CONSISTENCY_WAIT_MS,
  importInto,
  outcomeLines,
  outcomeOf,
  withSecrets,
  type JsonObject,
  type StackRecord,
} from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
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

/** Makes the target show its dashboards as `show` returns them, from the first write on. */
function showAfterWrite(stack: MemoryStack, show: (bodies: readonly JsonObject[]) => readonly JsonObject[]): void {
  stack.interceptAfter = () => {
    stack.interceptAfter = () => {};
    stack.replaceListed = (kind, bodies) => (kind === "dashboards" ? show(bodies) : bodies);
  };
}

describe("the check after an import", () => {
  it.each([
    ["waits for a list that lags", CONSISTENCY_WAIT_MS - 1, "done", 0],
    ["reports what the list never shows as missing", Number.POSITIVE_INFINITY, "failed not-stored", 3],
  ])("%s", async (_, ms, end, exitCode) => {
    const { stack, stage } = newStage();
    const until = stage.clock.now() + ms;
    showAfterWrite(stack, (bodies) => (stage.clock.now() < until ? [] : bodies));
    const run = await stage.run(archiveOf(board(16), board(17)));
    expect(outcomeLines(run.outcomes.slice(0, 2), "status", "code")).toEqual([end, end]);
    expect(run.exitCode).toBe(exitCode);
  });

  it("looks for what was updated, too", async () => {
    const there = dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] });
    const stack = usualTarget({ dashboards: [there] });
    showAfterWrite(stack, () => []);
    const run = await importInto(stack, archiveOf(board(16)), update);
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "update", code: "not-stored" });
  });

  it("reads each list once, for what was written and for the alerts that an update may have deleted, and none without a write", async () => {
    const { stack, stage } = newStage();
    const [before, after] = [board(16), board(16, { tags: ["new"] })];
    const busy = alert(hexId("a", 32), "Busy", before, archiveIds.webhook);
    const archived = (body: JsonObject, threshold: number): StackRecord[] =>
      records({ dashboards: [body], alerts: [{ ...busy, threshold }], ...dependencies.ours });
    await stage.run(archived(before, 1));
    stack.requests.length = 0;
    const run = await stage.run(archived(after, 2), update);
    expect(run.outcomes.filter(({ action }) => action === "update")).toHaveLength(2);
    const operations = stack.requests.map(({ operation }) => operation);
    const last = operations.findLastIndex((operation) => operation.startsWith("update"));
    expect(operations.slice(last + 1).toSorted()).toEqual(["list alerts", "list dashboards"]);
    stack.requests.length = 0;
    await stage.run(archived(after, 2));
    expect(stack.requests.filter(({ operation }) => operation === "list alerts")).toHaveLength(1);
  });

  it("looks for the records of every kind that was written", async () => {
    const connection = (number: number, name: string): JsonObject => ({
      id: hexId("c", number),
      name,
      host: `http://${name}:8123`,
      username: "reader",
    });
    const search = (number: number, name: string): JsonObject => ({
      id: hexId("d", number),
      name,
      sourceId: archiveIds.source,
    });
    const session = { ...source(hexId("a", 8), "Sessions", hexId("c", 1)), kind: "session" };
    const board16 = board(16);
    const onSearch = { source: "saved_search", savedSearchId: hexId("d", 1), dashboardId: null, tileId: null };
    const used = {
      connections: [connection(1, "main")],
      sources: [logs],
      webhooks: [webhook(archiveIds.webhook, "oncall", "slack")],
      "saved-searches": [search(1, "errors")],
      dashboards: [board16],
      alerts: [
        alert(hexId("a", 32), "On", board16, archiveIds.webhook),
        alert(hexId("a", 33), "Search", board16, archiveIds.webhook, onSearch),
      ],
    };
    const lost = {
      connections: [connection(9, "lost")],
      // Another source links to this one; the server does not check such links.
      sources: [source(hexId("a", 9), "lost", hexId("c", 1)), { ...session, traceSourceId: hexId("a", 9) }],
      webhooks: [webhook(hexId("a", 9), "lost", "slack")],
      "saved-searches": [search(9, "lost")],
    };
    const rebuild = async (more: Partial<typeof used>) => {
      const stack = memoryStack(Object.fromEntries(Object.keys(used).map((kind) => [kind, []])));
      stack.replaceListed = (_, bodies) => bodies.filter(({ name }) => name !== "lost");
      const all = { ...used, ...more };
      const passwords = all.connections.map(({ id }) => [`connections/${String(id)}`, { "/password": "S3cret!" }]);
      const { records: wanted, secrets } = withSecrets(records(all), Object.fromEntries(passwords));
      const create = ["connections", "sources", "webhooks", "saved-searches"];
      const run = await importInto(stack, wanted, { create, secrets });
      return { ...run, lists: stack.requests.filter(({ operation }) => operation.startsWith("list ")).length };
    };
    // The plan reads five lists. It reads no list of alerts, because the target has no dashboards and no saved searches. After
    // the writes, all six are read.
    expect(await rebuild({})).toMatchObject({ exitCode: 0, lists: 11 });
    for (const kind of ["connections", "sources", "webhooks", "saved-searches"] as const) {
      const run = await rebuild({ [kind]: [...used[kind], ...lost[kind]] });
      const missing = run.outcomes.filter(({ code }) => code === "not-stored");
      expect(missing.map((outcome) => `${outcome.kind} ${outcome.name}`)).toEqual([`${kind} lost`]);
      expect(run.exitCode).toBe(3);
    }
  });

  it("does not take a webhook's use for a proof on a managed stack", async () => {
    const lists = { dashboards: [], alerts: [], webhooks: [], "saved-searches": [] };
    const stack = memoryStack({ ...lists, sources: [theirLogs] }, "managed");
    stack.replaceListed = (kind, bodies) => (kind === "webhooks" ? [] : bodies);
    const watched = alert(hexId("a", 32), "On", board(16), archiveIds.webhook);
    const webhooks = [webhook(archiveIds.webhook, "oncall", "slack")];
    const wanted = records({ sources: [logs], webhooks, dashboards: [board(16)], alerts: [watched] });
    const run = await importInto(stack, wanted, { create: ["webhooks"] });
    expect(outcomeOf(run, "On")).toMatchObject({ status: "done" });
    expect(outcomeOf(run, "oncall")).toMatchObject({ status: "failed", code: "not-stored" });
  });

  it("names a member that the list shows in another form than the write's answer did", async () => {
    const stack = usualTarget();
    showAfterWrite(stack, (bodies) => bodies.map((body) => ({ ...body, tags: ["other"] })));
    const run = await importInto(stack, archiveOf(board(16, { tags: ["ours"] })));
    expect(run.warnings).toMatchObject([{ code: "not-stored", pointer: "/tags/0" }]);
    expect(run.events).toContainEqual({ type: "warning", warning: run.warnings[0] });
    expect(run.exitCode).toBe(0);
  });

  it("ignores ids that the list spells in another case", async () => {
    const stack = usualTarget();
    const loud = (text: string): string => text.replaceAll(/[0-9a-f]{24}/g, (id) => id.toUpperCase());
    showAfterWrite(stack, (bodies) => JSON.parse(loud(JSON.stringify(bodies))) as JsonObject[]);
    const run = await importInto(stack, archiveOf(board(16)));
    expect(run.exitCode).toBe(0);
    expect(run.warnings).toEqual([]);
  });
});
