import { describe, expect, it } from "vitest";
import {
  CONSISTENCY_WAIT_MS,
  withSecrets,
  importStage,
  outcomeOf,
  bodiesSentTo,
  outcomeLines,
  type JsonObject,
} from "../../support/import-stage.ts";
import {
  lostAnswerError,
  memoryStack,
  refusalError,
  failOperation,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import {
  alert,
  dashboard,
  hexId,
  records,
  source,
  tileWith,
  webhook,
  targetIds,
  archiveIds,
} from "../../support/stack-records.ts";
import { logs, dependencies, theirLogs, usualTarget, board } from "../../support/import-samples.ts";

const target = (dashboards: readonly JsonObject[] = []): MemoryStack => usualTarget({ dashboards });
const archiveOf = (...dashboards: JsonObject[]) => records({ dashboards, ...dependencies.ours });

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
    const stack = target();
    const stage = importStage(stack);
    const until = stage.clock.now() + ms;
    showAfterWrite(stack, (bodies) => (stage.clock.now() < until ? [] : bodies));
    const run = await stage.run(archiveOf(board(16), board(17)));
    expect(outcomeLines(run.outcomes.slice(0, 2), "status", "code")).toEqual([end, end]);
    expect(run.exitCode).toBe(exitCode);
  });

  it("looks for what was updated, too", async () => {
    const stack = target([dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] })]);
    showAfterWrite(stack, () => []);
    const run = await importStage(stack).run(archiveOf(board(16)), { onConflict: "overwrite" });
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "update", code: "not-stored" });
  });

  it("reads each list once, for what was written and for the alerts that an update may have deleted", async () => {
    const stack = target();
    const stage = importStage(stack);
    const [before, after] = [board(16), board(16, { tags: ["new"] })];
    const busy = alert(hexId("a", 32), "Busy", before, archiveIds.webhook);
    const archived = (dashboard: JsonObject, threshold: number) =>
      records({ dashboards: [dashboard], alerts: [{ ...busy, threshold }], ...dependencies.ours });
    await stage.run(archived(before, 1));
    stack.requests.length = 0;
    const run = await stage.run(archived(after, 2), { onConflict: "overwrite" });
    expect(run.outcomes.filter(({ action }) => action === "update")).toHaveLength(2);
    const operations = stack.requests.map(({ operation }) => operation);
    const last = operations.findLastIndex((operation) => operation.startsWith("update"));
    expect(operations.slice(last + 1).toSorted()).toEqual(["list alerts", "list dashboards"]);
  });

  it("looks for the records of every kind that was written", async () => {
    const connection = (number: number, name: string): JsonObject => {
      return { id: hexId("c", number), name, host: `http://${name}:8123`, username: "reader" };
    };
    const search = (number: number, name: string): JsonObject => {
      return { id: hexId("d", number), name, sourceId: logs["id"] ?? null };
    };
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
      const run = await importStage(stack).run(wanted, { create, secrets });
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
    const run = await importStage(stack).run(wanted, { create: ["webhooks"] });
    expect(outcomeOf(run, "On")).toMatchObject({ status: "done" });
    expect(outcomeOf(run, "oncall")).toMatchObject({ status: "failed", code: "not-stored" });
  });

  it("names a member that the list shows in another form than the write's answer did", async () => {
    const stack = target();
    showAfterWrite(stack, (bodies) => bodies.map((body) => ({ ...body, tags: ["other"] })));
    const run = await importStage(stack).run(archiveOf(board(16, { tags: ["ours"] })));
    expect(run.warnings).toMatchObject([{ code: "not-stored", pointer: "/tags/0" }]);
    expect(run.events).toContainEqual({ type: "warning", warning: run.warnings[0] });
    expect(run.exitCode).toBe(0);
  });

  it("ignores ids that the list spells in another case", async () => {
    const stack = target();
    const loud = (text: string): string => text.replaceAll(/[0-9a-f]{24}/g, (id) => id.toUpperCase());
    showAfterWrite(stack, (bodies) => JSON.parse(loud(JSON.stringify(bodies))) as JsonObject[]);
    const run = await importStage(stack).run(archiveOf(board(16)));
    expect(run.exitCode).toBe(0);
    expect(run.warnings).toEqual([]);
  });
});

describe("a stack that answers a create with other parts than were sent", () => {
  const config = { displayType: "line", sourceId: archiveIds.source };
  const twoTiles = board(16, {
    tiles: ["Requests", "Errors"].map((name, index) => tileWith(hexId("d", index), name, config)),
    filters: [{ id: hexId("e", 1), name: "Service", expression: "s", sourceId: archiveIds.source }],
  });

  it.each([
    ["a tile less", "tiles", (parts: JsonObject[]) => parts.slice(1)],
    ["a tile more", "tiles", (parts: JsonObject[]) => [...parts, { id: hexId("e", 9), name: "Own" }]],
    ["the same tiles in another order", "tiles", (parts: JsonObject[]) => parts.toReversed()],
    ["a filter less", "filters", () => []],
    ["a filter more", "filters", (parts: JsonObject[]) => [...parts, { id: hexId("e", 9), name: "Own" }]],
  ] as const)("leads to a warning: %s", async (_, member, change) => {
    const stack = target();
    stack.replaceStored = (_operation, body) => ({ ...body, [member]: change([...(body[member] as JsonObject[])]) });
    const run = await importStage(stack).run(archiveOf(twoTiles));
    expect(run.warnings.map(({ code }) => code)).toContain("not-stored");
  });

  it("does not bind an alert to a tile by its place", async () => {
    const stack = target();
    stack.replaceStored = (operation, body) =>
      operation === "create dashboards" ? { ...body, tiles: (body["tiles"] as JsonObject[]).slice(1) } : body;
    const on = { ...twoTiles, tiles: [{ id: hexId("d", 0) }] };
    const slow = records({ alerts: [alert(hexId("a", 32), "Slow", on, archiveIds.webhook)] });
    await importStage(stack).run([...archiveOf(twoTiles), ...slow]);
    const [sent] = bodiesSentTo(stack, "create alerts");
    const [kept] = (stack.records.get("dashboards")?.values().next().value?.["tiles"] ?? []) as { id: string }[];
    expect(sent?.["tileId"]).not.toBe(kept?.id);
  });
});

describe("failures of the stack", () => {
  const boards = Array.from({ length: 12 }, (_, index) => board(16 + index));
  /**
   * Creates a stack on which `fails`, called with the index of a dashboard, decides whether its create succeeds, is rejected,
   * or loses its response.
   */
  function failing(fails: (number: number) => "lost" | "rejected" | "well"): MemoryStack {
    const stack = target();
    stack.intercept = (operation, body) => {
      if (operation !== "create dashboards") return;
      const how = fails(Number(String(body?.["name"]).split(" ")[1]) - 16);
      if (how === "lost") throw lostAnswerError();
      if (how === "rejected") throw refusalError("rejected", "no");
    };
    return stack;
  }

  it.each([
    ["end the run after five in a row", () => "lost", "unreachable", 6, [5, 6]],
    ["are counted anew after a success", (number) => (number % 2 === 0 ? "lost" : "well"), undefined, 3, [6]],
    ["do not count where the stack did not like the record", () => "rejected", undefined, 3, [12]],
  ] satisfies [string, Parameters<typeof failing>[0], ...unknown[]][])(
    "%s",
    async (_, fails, stopped, exitCode, counts) => {
      const run = await importStage(failing(fails)).run(archiveOf(...boards), { concurrency: 1 });
      expect([run.stopped?.code, run.exitCode]).toEqual([stopped, exitCode]);
      expect(counts).toContain(run.outcomes.filter(({ status }) => status === "failed").length);
    },
  );

  it("leave what needs it not begun, where the run is ended", async () => {
    const stack = failing(() => "well");
    failOperation(stack, "create dashboards", () => refusalError("unauthorized", "no"));
    const slow = alert(hexId("a", 32), "Slow", board(16), archiveIds.webhook);
    const run = await importStage(stack).run([...archiveOf(board(16)), ...records({ alerts: [slow] })]);
    expect(outcomeOf(run, "Slow")).toMatchObject({ action: "create", status: "planned", code: "not-started" });
  });

  it("of a record without an id is one, as nothing could be bound to it", async () => {
    const stack = target();
    const create = stack.client.create.bind(stack.client);
    stack.client.create = async (kind, body) => {
      const { id: _id, ...rest } = await create(kind, body);
      return rest;
    };
    const run = await importStage(stack).run(archiveOf(board(16)));
    expect(outcomeOf(run, "Board 16")).toMatchObject({ status: "failed", code: "protocol" });
    expect(run.exitCode).toBe(3);
  });
});
