import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { importStage, outcomeOf, planInto, sentTo, storedRecords } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack, refuse } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, rawSql, records } from "../support/stack-records.ts";
import { logs, theirLogs } from "../support/usual-stacks.ts";

const HOOK = hexId("a", 7);
const THEIR_HOOK = hexId("b", 7);
const ALERTS = ["One", "Two", "Three", "Four"];
const overview = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
const archiveOf = (hooks: readonly string[]) =>
  records({
    dashboards: [overview],
    alerts: hooks.map((hook, index) => alert(hexId("a", 32 + index), ALERTS[index] ?? "", overview, hook)),
    sources: [logs],
  });
const archive = archiveOf(ALERTS.map(() => HOOK));
const mapping = { webhooks: { [HOOK]: THEIR_HOOK } };

/** A stack without a list of webhooks, which knows some of them all the same. */
function managed(
  known: readonly string[],
  more: Record<string, JsonObject[]> = {},
  variant: "managed" | "self-hosted" = "managed",
): MemoryStack {
  const sources = [theirLogs];
  const stack = memoryStack({ dashboards: [], alerts: [], sources, ...more }, variant);
  stack.intercept = (operation, body) => {
    const { webhookId } = (body?.["channel"] ?? {}) as { webhookId?: string };
    if (operation === "create alerts" && !known.includes(webhookId ?? ""))
      throw refuse("rejected", "Webhook not found");
  };
  return stack;
}

const codesOf = (outcomes: readonly { kind: string; code?: string }[]): unknown[] =>
  outcomes.filter(({ kind }) => kind === "alerts").map(({ code }) => code);

describe("the id of a webhook on a target that lists none", () => {
  it("is marked in the plan, with the records that use it", async () => {
    const plan = await planInto(managed([]), archive, { mapping });
    expect(plan.matches.find(({ space }) => space === "webhooks")).toMatchObject({ to: THEIR_HOOK, unverified: true });
    const alerts = plan.items.filter(({ kind }) => kind === "alerts");
    expect(alerts.map(({ action, unverified }) => [action, unverified])).toEqual(
      ALERTS.map(() => ["create", [{ space: "webhooks", id: THEIR_HOOK }]]),
    );
  });

  it("is verified where an alert of the target uses it", async () => {
    const there = dashboard(hexId("b", 20), "Theirs", hexId("b", 1));
    const watching = alert(hexId("b", 40), "Watching", there, THEIR_HOOK);
    const stack = managed([THEIR_HOOK], { dashboards: [there], alerts: [watching] });
    const plan = await planInto(stack, archive, { mapping });
    expect(plan.matches.find(({ space }) => space === "webhooks")).not.toHaveProperty("unverified");
    expect(plan.items.some(({ unverified }) => unverified !== undefined)).toBe(false);
  });

  it.each([
    ["the map file", { mapping: { webhooks: { [HOOK]: "oncall-slack" } } }],
    ["the default", { defaults: { webhooks: "oncall-slack" } }],
  ])("is what it takes: a name in %s is refused, and the message says where to find the id", async (_, options) => {
    const stack = managed([THEIR_HOOK]);
    const refused = importStage(stack).run(archive, options);
    await expect(refused).rejects.toMatchObject({ code: "usage", hint: expect.stringContaining("--draft-map") });
    expect(sentTo(stack, "create dashboards")).toEqual([]);
  });

  it("is proved by one alert that is created alone, and then serves all", async () => {
    const stack = managed([THEIR_HOOK]);
    let [running, most] = [0, 0];
    const create = stack.client.create.bind(stack.client);
    stack.client.create = async (kind, body, ...more) => {
      const first = kind.name === "alerts" && sentTo(stack, "create alerts").length === 0;
      running += 1;
      await new Promise((done) => setTimeout(done, 5));
      if (first) most = Math.max(most, running);
      running -= 1;
      return create(kind, body, ...more);
    };
    const run = await importStage(stack).run(archive, { mapping });
    expect(run.exitCode).toBe(0);
    expect(most).toBe(1);
    expect(storedRecords(stack, "alerts")).toHaveLength(ALERTS.length);
  });

  it("that the target refuses is sent once, and all that use it say the same", async () => {
    const stack = managed([]);
    const run = await importStage(stack).run(archive, { mapping });
    expect(sentTo(stack, "create alerts")).toHaveLength(1);
    expect(codesOf(run.outcomes)).toEqual(ALERTS.map(() => "refused-webhook"));
    const alerts = run.outcomes.filter(({ kind }) => kind === "alerts");
    expect(new Set(alerts.map(({ message }) => message)).size).toBe(1);
    expect(alerts[0]?.message).toContain("Webhook not found");
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "done" });
    expect(run.exitCode).toBe(3);
  });

  it("does not stop alerts with another one", async () => {
    const stack = managed([hexId("b", 8)]);
    const two = archiveOf([HOOK, hexId("a", 8), HOOK, hexId("a", 8)]);
    const run = await importStage(stack).run(two, {
      mapping: { webhooks: { [HOOK]: THEIR_HOOK, [hexId("a", 8)]: hexId("b", 8) } },
    });
    expect(codesOf(run.outcomes)).toEqual(["refused-webhook", undefined, "refused-webhook", undefined]);
  });

  it("is not blamed for what else the target does not like: the next alert is the trial", async () => {
    const stack = managed([THEIR_HOOK]);
    const known = stack.intercept;
    stack.intercept = (operation, body) => {
      if (body?.["name"] === "One") throw refuse("rejected", "threshold: Required");
      known(operation, body);
    };
    const run = await importStage(stack).run(archive, { mapping });
    expect(codesOf(run.outcomes)).toEqual(["rejected", undefined, undefined, undefined]);
  });

  it("is tried again, by one alert, after one that was refused for something else", async () => {
    const stack = managed([]);
    const known = stack.intercept;
    stack.intercept = (operation, body) => {
      if (body?.["name"] === "One") throw refuse("rejected", "threshold: Required");
      known(operation, body);
    };
    const run = await importStage(stack).run(archive, { mapping });
    expect(codesOf(run.outcomes)).toEqual(["rejected", "refused-webhook", "refused-webhook", "refused-webhook"]);
    expect(sentTo(stack, "create alerts")).toHaveLength(2);
  });

  it("that was refused is not sent by an alert whose dashboard is made later", async () => {
    const stack = managed([]);
    const create = stack.client.create.bind(stack.client);
    stack.client.create = async (kind, body) => {
      if (body["name"] === "Slow") while (sentTo(stack, "create alerts").length === 0) await Promise.resolve();
      for (let turn = 0; turn < 500; turn += 1) await Promise.resolve();
      return create(kind, body);
    };
    const slow = dashboard(hexId("a", 17), "Slow", hexId("a", 1));
    const late = records({ dashboards: [slow], alerts: [alert(hexId("a", 60), "Late", slow, HOOK)] });
    const run = await importStage(stack).run([...archive, ...late], { mapping });
    expect(outcomeOf(run, "Late")).toMatchObject({ code: "refused-webhook" });
    expect(sentTo(stack, "create alerts")).toHaveLength(1);
  });

  it("of two that one alert needs is not guessed: each is tried by the alerts that use it", async () => {
    // Only a self-hosted stack takes an alert of two channels.
    const stack = managed([THEIR_HOOK], {}, "self-hosted");
    const both = alert(hexId("a", 50), "Both", overview, HOOK, {
      channels: [HOOK, hexId("a", 8)].map((webhookId) => ({ type: "webhook", webhookId })),
    });
    const known = stack.intercept;
    stack.intercept = (operation, body) => {
      if (body?.["name"] === "Both") throw refuse("rejected", "Webhook not found");
      known(operation, body);
    };
    const run = await importStage(stack).run([...records({ alerts: [both] }), ...archive], {
      mapping: { webhooks: { [HOOK]: THEIR_HOOK, [hexId("a", 8)]: hexId("b", 8) } },
    });
    expect(outcomeOf(run, "Both")).toMatchObject({ code: "rejected" });
    expect(codesOf(run.outcomes).filter((code) => code === undefined)).toHaveLength(ALERTS.length);
  });
});

/** Longer than a run in memory takes. */
async function manyTurns(): Promise<undefined> {
  for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate);
  return undefined;
}

describe("alerts that name two webhooks in different orders", () => {
  it("do not wait for each other", async () => {
    const other = hexId("a", 8);
    const stack = managed([THEIR_HOOK], {}, "self-hosted");
    const pair = [
      [HOOK, other],
      [other, HOOK],
    ].map(([first = "", second = ""], index) =>
      alert(hexId("a", 50 + index), `Pair ${index}`, overview, first, {
        channels: [first, second].map((webhookId) => ({ type: "webhook", webhookId })),
      }),
    );
    stack.intercept = () => {};
    const mapping = { webhooks: { [HOOK]: THEIR_HOOK, [other]: hexId("b", 8) } };
    const run = importStage(stack).run([...records({ alerts: pair }), ...archiveOf([])], { mapping });
    const ended = await Promise.race([run, manyTurns()]);
    expect(codesOf(ended?.outcomes ?? [])).toEqual([undefined, undefined]);
  });
});

describe("an alert with two webhooks, one of which the target has refused", () => {
  it("is not sent, and the other webhook serves the alerts that come after", async () => {
    const [fine, unknown] = [hexId("a", 6), HOOK];
    const stack = managed([hexId("b", 6)], {}, "self-hosted");
    const both = alert(hexId("a", 51), "Both", overview, fine, {
      channels: [fine, unknown].map((webhookId) => ({ type: "webhook", webhookId })),
    });
    const [first, ...others] = archiveOf([unknown, fine, fine]).filter(({ kind }) => kind === "alerts");
    const alerts = [...(first ? [first] : []), ...records({ alerts: [both] }), ...others];
    const run = await importStage(stack).run([...archiveOf([]), ...alerts], {
      mapping: { webhooks: { [fine]: hexId("b", 6), [unknown]: THEIR_HOOK } },
    });
    expect(codesOf(run.outcomes)).toEqual(["refused-webhook", "refused-webhook", undefined, undefined]);
    expect(sentTo(stack, "create alerts")).toHaveLength(3);
  });
});

describe("the id of a connection, of which no stack has a list", () => {
  const sql = (number: number): JsonObject => ({
    ...dashboard(hexId("a", number), `SQL ${number}`, ""),
    tiles: [{ id: hexId("d", number), name: "SQL", config: rawSql(hexId("c", 9)) }],
  });

  it.each([
    ["that a source uses is verified", hexId("c", 2), undefined],
    ["that nothing uses is not", hexId("c", 5), [{ space: "connections", id: hexId("c", 5) }]],
  ])("%s", async (_, to, unverified) => {
    const plan = await planInto(managed([]), records({ dashboards: [sql(16)] }), {
      mapping: { connections: { [hexId("c", 9)]: to } },
    });
    expect(plan.items[0]?.unverified).toEqual(unverified);
  });

  it("that the target refuses stops the dashboards that use it, and only the first is sent", async () => {
    const stack = managed([]);
    stack.intercept = (operation) => {
      if (operation === "create dashboards")
        throw refuse("rejected", "Could not find the following connection IDs: cccc");
    };
    const run = await importStage(stack).run(records({ dashboards: [sql(16), sql(17)] }), {
      mapping: { connections: { [hexId("c", 9)]: hexId("c", 5) } },
    });
    expect(run.outcomes.map(({ code }) => code)).toEqual(["refused-connection", "refused-connection"]);
    expect(sentTo(stack, "create dashboards")).toHaveLength(1);
  });
});
