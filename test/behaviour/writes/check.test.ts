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
import { creatingAll, emptyStack, ON_REQUEST, oneOfEach } from "./every-kind.ts";

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
    const used = oneOfEach("used");
    const onSearch = { source: "saved_search", savedSearchId: hexId("a", 5), dashboardId: null, tileId: null };
    used.alerts.push({ ...used.alerts[0], id: hexId("a", 33), name: "Search", ...onSearch });
    const rebuild = async (more: Partial<typeof used>) => {
      const stack = emptyStack();
      stack.replaceListed = (_, bodies) => bodies.filter(({ name }) => name !== "lost");
      const all = { ...used, ...more };
      const run = await importInto(stack, records(all), creatingAll(all));
      return { ...run, lists: stack.requests.filter(({ operation }) => operation.startsWith("list ")).length };
    };
    // The plan reads five lists. It reads no list of alerts, because the target has no dashboards and no saved searches. After
    // the writes, all six are read.
    expect(await rebuild({})).toMatchObject({ exitCode: 0, lists: 11 });
    const lostId = hexId("e", 9);
    // A source links to the lost one; the server does not check such links.
    const session = { ...source(hexId("a", 8), "Sessions", hexId("c", 1)), kind: "session", traceSourceId: lostId };
    for (const kind of ON_REQUEST) {
      const lost = { ...used[kind][0], id: lostId, name: "lost" };
      const run = await rebuild({ [kind]: [...used[kind], lost, ...(kind === "sources" ? [session] : [])] });
      const missing = run.outcomes.filter(({ code }) => code === "not-stored");
      expect(outcomeLines(missing, "kind", "name")).toEqual([`${kind} lost`]);
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
