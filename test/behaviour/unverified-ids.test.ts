import { describe, expect, it } from "vitest";
import {
  importStage,
  outcomeOf,
  planInto,
  bodiesSentTo,
  storedRecords,
  type JsonObject,
  type RunOptions,
  type StackRecord,
  type StageRun,
} from "../support/import-stage.ts";
import { failOperation, memoryStack, refusalError, type MemoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, sqlDashboard } from "../support/stack-records.ts";
import { logs, theirLogs } from "../support/import-samples.ts";

const [HOOK, OTHER] = [hexId("a", 7), hexId("a", 8)];
const [THEIR_HOOK, THEIR_OTHER] = [hexId("b", 7), hexId("b", 8)];
const mapping = { webhooks: { [HOOK]: THEIR_HOOK, [OTHER]: THEIR_OTHER } };
const overview = dashboard(hexId("a", 16), "Overview", hexId("a", 1));

/** Returns an archive with one alert for each webhook or pair of webhooks. The alerts' names are numbers from 0 on. */
function archiveOf(...hooks: readonly (string | readonly [string, string])[]): StackRecord[] {
  const alerts = hooks.map((each, index) => {
    const ids = typeof each === "string" ? [each] : each;
    const channels = ids.map((webhookId) => ({ type: "webhook", webhookId }));
    return alert(hexId("a", 32 + index), String(index), overview, ids[0] ?? "", { channels });
  });
  return records({ dashboards: [overview], alerts, sources: [logs] });
}
const archive = archiveOf(HOOK, HOOK, HOOK, HOOK);

/** Creates a stack that does not list webhooks, but accepts these ids. Only a self-hosted stack accepts two channels. */
function target(known: readonly string[], more: Record<string, JsonObject[]> = {}, selfHosted = false): MemoryStack {
  const lists = { dashboards: [], alerts: [], sources: [theirLogs], ...more };
  const stack = memoryStack(lists, selfHosted ? "self-hosted" : "managed");
  stack.intercept = (operation, body) => {
    if (operation !== "create alerts") return;
    const { channel, channels = [channel] } = body as { channel: JsonObject; channels?: JsonObject[] };
    const isKnown = channels.every((each) => known.includes(String(each?.["webhookId"])));
    if (!isKnown) throw refusalError("rejected", "Webhook not found");
  };
  return stack;
}

const codesOf = ({ outcomes }: Pick<StageRun, "outcomes">): unknown[] =>
  outcomes.filter(({ kind }) => kind === "alerts").map(({ code }) => code);
const sends = (stack: MemoryStack): number => bodiesSentTo(stack, "create alerts").length;

describe("the id of a webhook on a target that lists none", () => {
  it("is marked in the plan, with the records that use it", async () => {
    const plan = await planInto(target([]), archive, { mapping });
    expect(plan.matches.find(({ space }) => space === "webhooks")).toMatchObject({ to: THEIR_HOOK, unverified: true });
    const alerts = plan.items.filter(({ kind }) => kind === "alerts");
    const marked = { action: "create", unverified: [{ space: "webhooks", id: THEIR_HOOK }] };
    expect(alerts).toMatchObject([marked, marked, marked, marked]);
  });

  it("is verified where an alert of the target uses it", async () => {
    const there = dashboard(hexId("b", 20), "Theirs", hexId("b", 1));
    const watching = alert(hexId("b", 40), "Watching", there, THEIR_HOOK);
    const plan = await planInto(target([], { dashboards: [there], alerts: [watching] }), archive, { mapping });
    expect(plan.matches.find(({ space }) => space === "webhooks")).not.toHaveProperty("unverified");
    expect(plan.items.some(({ unverified }) => unverified !== undefined)).toBe(false);
  });

  it.each<[string, RunOptions]>([
    ["the map file", { mapping: { webhooks: { [HOOK]: "oncall-slack" } } }],
    ["its line for all others", { mapping: { webhooks: { "*": "oncall-slack" } } }],
  ])("is required: a name in %s is refused, and the message says where to find the id", async (_, options) => {
    const stack = target([THEIR_HOOK]);
    const refused = importStage(stack).run(archive, options);
    await expect(refused).rejects.toMatchObject({ code: "usage", hint: expect.stringContaining("--draft-map") });
    expect(bodiesSentTo(stack, "create dashboards")).toEqual([]);
  });

  it("is proved by one alert that is created alone, and then serves all", async () => {
    const stack = target([THEIR_HOOK]);
    let [running, maxRunning] = [0, 0];
    const create = stack.client.create.bind(stack.client);
    stack.client.create = async (kind, body, ...more) => {
      const first = kind.name === "alerts" && sends(stack) === 0;
      running += 1;
      await new Promise((done) => setTimeout(done, 5));
      if (first) maxRunning = Math.max(maxRunning, running);
      running -= 1;
      return create(kind, body, ...more);
    };
    const run = await importStage(stack).run(archive, { mapping });
    expect([run.exitCode, maxRunning, storedRecords(stack, "alerts").length]).toEqual([0, 1, 4]);
  });

  const refused = "refused-webhook";
  const both = [HOOK, OTHER] as const;
  // `oneIsRefused`: whether the target refuses the first alert for another reason.
  it.each<[string, known: string[], StackRecord[], oneIsRefused: boolean, codes: unknown[], sends: number]>([
    ["is sent once where it is refused, and all say so", [], archive, false, [refused, refused, refused, refused], 1],
    [
      "does not stop alerts with another one",
      [THEIR_OTHER],
      archiveOf(HOOK, OTHER, HOOK, OTHER),
      false,
      [refused, undefined, refused, undefined],
      3,
    ],
    [
      "is not blamed for what else the target does not like: the next alert is the trial",
      [THEIR_HOOK],
      archive,
      true,
      ["rejected", undefined, undefined, undefined],
      4,
    ],
    [
      "is tried again, by one alert, after one that was refused for something else",
      [],
      archive,
      true,
      ["rejected", refused, refused, refused],
      2,
    ],
    [
      "of two that one alert needs is not guessed: each is tried by the alerts that use it",
      [THEIR_HOOK],
      archiveOf(both, HOOK, HOOK),
      false,
      ["rejected", undefined, undefined],
      3,
    ],
    [
      "that was refused stops an alert that has it beside another, which serves those that come after",
      [THEIR_OTHER],
      archiveOf(HOOK, [OTHER, HOOK], OTHER, OTHER),
      false,
      [refused, refused, undefined, undefined],
      3,
    ],
  ])("%s", async (_, known, archived, oneIsRefused, codes, count) => {
    const takesTwo = JSON.stringify(archived).includes(OTHER);
    const stack = target(known, {}, takesTwo);
    const judge = stack.intercept;
    stack.intercept = (operation, body) => {
      if (oneIsRefused && body?.["name"] === "0") throw refusalError("rejected", "threshold: Required");
      judge(operation, body);
    };
    const run = await importStage(stack).run(archived, { mapping });
    expect([codesOf(run), sends(stack)]).toEqual([codes, count]);
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "done" });
    expect(run.exitCode).toBe(3);
    const messages = run.outcomes.flatMap(({ code, message }) => (code === refused ? [message] : []));
    for (const message of messages) expect(message).toBe(messages[0]);
    for (const message of messages) expect(message).toContain("Webhook not found");
  });

  it.each([
    ["is left alone without a journal", false, {}, THEIR_HOOK, "exists"],
    [
      "is updated without a journal if the import may update",
      false,
      { onConflict: "overwrite" },
      THEIR_OTHER,
      undefined,
    ],
    ["is updated with a journal", true, {}, THEIR_OTHER, undefined],
  ] as const)(
    "that a corrected map file replaces: an alert that the stack stores in another form %s",
    async (_, keepsJournal, options, hook, code) => {
      const stack = target([THEIR_HOOK, THEIR_OTHER]);
      stack.replaceStored = (operation, stored) =>
        operation.endsWith("alerts") ? { ...stored, note: "by the server" } : stored;
      const stage = importStage(stack);
      const archived = archiveOf(HOOK);
      await stage.run(archived, { mapping: { webhooks: { [HOOK]: THEIR_HOOK } } });
      if (!keepsJournal) stage.history.length = 0;
      const run = await stage.run(archived, { ...options, mapping: { webhooks: { [HOOK]: THEIR_OTHER } } });
      expect(outcomeOf(run, "0")).toMatchObject({ action: code ? "skip" : "update", ...(code && { code }) });
      expect(JSON.stringify(storedRecords(stack, "alerts"))).toContain(hook);
    },
  );

  it("is not sent again, after a refusal, by an alert whose dashboard is created later", async () => {
    const stack = target([]);
    const create = stack.client.create.bind(stack.client);
    stack.client.create = async (kind, body) => {
      if (body["name"] === "Slow") while (sends(stack) === 0) await Promise.resolve();
      for (let turn = 0; turn < 500; turn += 1) await Promise.resolve();
      return create(kind, body);
    };
    const slow = dashboard(hexId("a", 17), "Slow", hexId("a", 1));
    const late = records({ dashboards: [slow], alerts: [alert(hexId("a", 60), "Late", slow, HOOK)] });
    const run = await importStage(stack).run([...archive, ...late], { mapping });
    expect(outcomeOf(run, "Late")).toMatchObject({ code: "refused-webhook" });
    expect(sends(stack)).toBe(1);
  });

  it("does not make alerts wait for each other that name two of them in different orders", async () => {
    const stack = target([THEIR_HOOK, THEIR_OTHER], {}, true);
    const run = importStage(stack).run(archiveOf([HOOK, OTHER], [OTHER, HOOK]), { mapping });
    // Waits for longer than a run in memory takes.
    const manyTurns = async (): Promise<undefined> => {
      for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate);
      return undefined;
    };
    const ended = await Promise.race([run, manyTurns()]);
    expect(codesOf(ended ?? { outcomes: [] })).toEqual([undefined, undefined]);
  });
});

describe("the id of a connection, of which no stack has a list", () => {
  const boards = [16, 17].map((number) => sqlDashboard(hexId("a", number), hexId("c", 9)));
  const mapTo = (id: string): RunOptions => ({ mapping: { connections: { [hexId("c", 9)]: id } } });

  it.each([
    ["that a source uses is verified", hexId("c", 2), undefined],
    ["that nothing uses is not", hexId("c", 5), [{ space: "connections", id: hexId("c", 5) }]],
  ])("%s", async (_, to, unverified) => {
    const plan = await planInto(target([]), records({ dashboards: boards.slice(0, 1) }), mapTo(to));
    expect(plan.items[0]?.unverified).toEqual(unverified);
  });

  it("that the target refuses stops the dashboards that use it, and only the first is sent", async () => {
    const stack = target([]);
    const words = "Could not find the following connection IDs: cccc";
    failOperation(stack, "create dashboards", () => refusalError("rejected", words));
    const run = await importStage(stack).run(records({ dashboards: boards }), mapTo(hexId("c", 5)));
    expect(run.outcomes.map(({ code }) => code)).toEqual(["refused-connection", "refused-connection"]);
    expect(bodiesSentTo(stack, "create dashboards")).toHaveLength(1);
  });
});
