import { describe, expect, test } from "vitest";
import type { Sandbox, SandboxSeed } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { readSandbox } from "../support/read-sandbox.ts";
import { recordedExchange } from "../support/recorded-exchanges.ts";
import { sandboxEnv, twoStacks } from "../support/sandbox-pair.ts";
import { callSandbox } from "../support/small-bench.ts";
import { alert, dashboard, hexId, source, webhook } from "../support/stack-records.ts";
import type { TwoStacks } from "../support/sandbox-pair.ts";

const sideOf = (letter: "a" | "b"): SandboxSeed => ({
  sources: [source(hexId(letter, 1), "Logs", hexId(letter, 9))],
  webhooks: [webhook(hexId(letter, 2), "chat"), webhook(hexId(letter, 3), "pager"), webhook(hexId(letter, 4), "mail")],
});
const board = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
const on = (...numbers: number[]) => {
  const channels = numbers.map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
  return { channel: channels[0] ?? null, channels };
};
const ONE = alert(hexId("a", 32), "One", board, hexId("a", 2));
const TWO = alert(hexId("a", 33), "Two", board, hexId("a", 2), on(2, 3));
const THREE = alert(hexId("a", 34), "Three", board, hexId("a", 4), on(4, 3, 2));

const ONTO = "import a.zip --to $TO --split-channels";

/** Exports a self-hosted stack, and starts a managed target that refuses whatever its API description lacks. */
async function stage(alerts: readonly object[]): Promise<TwoStacks> {
  const seed = { ...sideOf("a"), dashboards: [board], alerts };
  const stacks = await twoStacks(
    { variant: "self-hosted", seed },
    { variant: "managed", strict: true, seed: sideOf("b") },
  );
  expect((await stacks.run("export --from $FROM --out a.zip")).exitCode).toBe(0);
  return stacks;
}

/** Returns a line for each alert: its name and the name of its webhook. */
async function webhooksOfAlerts(to: Sandbox): Promise<string[]> {
  const names = new Map((await readSandbox(to, "webhooks")).map(({ id, name }) => [id, name]));
  const alerts = await readSandbox(to, "alerts");
  return alerts
    .map(({ name, channel }) => `${name}: ${names.get((channel as { webhookId: string }).webhookId)}`)
    .toSorted();
}

describe("alerts of a self-hosted stack on a managed one, which takes one channel for each", () => {
  test("become one alert per channel with --split-channels, as in the dry run; a second run writes nothing", async () => {
    await using each = await stage([ONE, TWO, THREE]);
    const all = ["One: chat", "Three: chat", "Three: mail", "Three: pager", "Two: chat", "Two: pager"];
    expect(await each.json(`${ONTO} --dry-run`)).toMatchObject({ exitCode: 0, counts: { create: 7 } });
    expect(await each.json(ONTO)).toMatchObject({ exitCode: 0, counts: { create: 7 } });
    expect(await webhooksOfAlerts(each.to)).toEqual(all);
    const writes = () => Object.entries(each.to.stats().byRoute).filter(([route]) => !route.startsWith("GET"));
    const before = writes();
    // The first run reads the journal of the first import, and the second has a new one.
    for (const line of [ONTO, `${ONTO} --journal other.journal`]) {
      expect(await each.json(line)).toMatchObject({ exitCode: 0, counts: { unchanged: 7 } });
    }
    expect(writes()).toEqual(before);
    expect(await webhooksOfAlerts(each.to)).toEqual(all);
  });

  test("are matched by their channels if one was changed, and all undone by a rollback", async () => {
    await using each = await stage([THREE]);
    const { journal } = await each.json(ONTO);
    const [
      { id, createdAt: _made, updatedAt: _changed, state: _state, teamId: _team, ...body } = { id: "", name: "" },
    ] = await readSandbox(each.to, "alerts");
    await callSandbox(each.to, "PUT", `alerts/${id}`, { ...body, threshold: 99 });
    const update = await each.json(`${ONTO} --journal other.journal --on-conflict update`);
    expect(update).toMatchObject({ exitCode: 0, counts: { update: 1, unchanged: 3 } });
    expect(await webhooksOfAlerts(each.to)).toEqual(["Three: chat", "Three: mail", "Three: pager"]);
    expect((await each.run(`rollback ${String(journal)} --to $TO`)).exitCode).toBe(0);
    expect(await readSandbox(each.to, "alerts")).toEqual([]);
  });
});

test("alerts that a real server showed, with their channels, are all created on a managed stack that is strict", async () => {
  const shown = (number: number) =>
    (recordedExchange(number).response.body as { readonly data: readonly object[] }).data;
  const alerts = shown(30);
  expect(alerts.every((each) => "channels" in each)).toBe(true);
  const seed = {
    alerts,
    dashboards: shown(12),
    sources: shown(4),
    webhooks: shown(6),
    "saved-searches": shown(8),
    connections: shown(3),
  };
  const connection = hexId("c", 9);
  const underOtherIds = (records: readonly object[], letter: "c" | "d", more = {}) =>
    records.map((each, index) => ({ ...each, ...more, id: hexId(letter, index + 1) }));
  const there = {
    sources: underOtherIds(seed.sources, "c", { connection }),
    webhooks: underOtherIds(seed.webhooks, "d"),
  };
  const strict = { variant: "managed", ids: "hex", strict: true, seed: there } as const;
  await using stacks = await twoStacks({ variant: "self-hosted", seed }, strict);
  const { from, to, run, json } = stacks;
  const flags = "--create saved-searches --split-channels";
  const document = await json(`migrate --from $FROM --to $TO ${flags}`);
  const outcomes = document["outcomes"] as { kind: string; status: string }[];
  expect(outcomes.filter(({ kind, status }) => kind === "alerts" && status !== "done")).toEqual([]);
  // One of the four alerts has two channels, so five were created.
  const created = await readSandbox(to, "alerts");
  expect(created.map((each) => Object.hasOwn(each, "channels"))).toEqual([false, false, false, false, false]);
  const dropped = [{ code: "left-out", pointer: "/tiles/0/config/seriesLimit" }];
  expect(document["warnings"]).toMatchObject(dropped);

  // Files do not tell from which variant they are, so they are applied to a second target.
  await using empty = await startSandbox(strict);
  const env = sandboxEnv(from, empty);
  expect((await run("export --from $FROM --format code --out stack")).exitCode).toBe(0);
  const apply = `apply stack --to ${empty.stack} ${flags}`;
  const applied = await json(apply, { env });
  expect((applied["outcomes"] as typeof outcomes).filter(({ status }) => status === "failed")).toEqual([]);
  expect(await readSandbox(empty, "dashboards")).toHaveLength(seed.dashboards.length);
  expect(applied["warnings"]).toMatchObject(dropped);
  expect(await json(`${apply} --state none`, { env })).not.toMatchObject({ counts: { update: expect.anything() } });
});

/** E-mail addresses are exported, because they are not secret. The run names each channel that the target's variant lacks. */
describe("the channels of a managed stack", () => {
  const mail = {
    ...ONE,
    name: "Mail",
    channel: { type: "email", emailRecipients: ["ops@example.com", "boss@example.com"] },
  };
  const slack = { type: "webhook", webhookId: hexId("a", 2), slackChannelId: "C0123", severity: "critical" };
  const alerts = [mail, { ...ONE, id: hexId("a", 40), name: "Slack", channel: slack }].map(
    ({ channels: _none, ...rest }: Record<string, unknown>) => rest,
  );

  async function migrateChannels(variant: "managed" | "self-hosted") {
    const ours = { variant: "managed", seed: { ...sideOf("a"), dashboards: [board], alerts } } as const;
    await using stacks = await twoStacks(ours, { variant, seed: sideOf("b") });
    const run = await stacks.json("migrate --from $FROM --to $TO");
    return { run, there: await readSandbox(stacks.to, "alerts") };
  }

  test("arrive whole on another managed stack", async () => {
    const { run, there } = await migrateChannels("managed");
    expect(run).toMatchObject({ exitCode: 0 });
    expect(there.map(({ channel }) => channel)).toEqual([
      { type: "email", emailRecipients: ["ops@example.com", "boss@example.com"] },
      { ...slack, webhookId: hexId("b", 2) },
    ]);
  });

  test("are blocked on a self-hosted stack if they send e-mail, and named if a part may be dropped", async () => {
    const { run, there } = await migrateChannels("self-hosted");
    expect(run).toMatchObject({ exitCode: 3 });
    expect(run["outcomes"]).toContainEqual(expect.objectContaining({ name: "Mail", code: "email-channel" }));
    expect(JSON.stringify(run["outcomes"])).toContain("ops@example.com");
    const pointers = (run["warnings"] as { code: string; pointer?: string }[])
      .filter(({ code }) => code === "not-stored")
      .map(({ pointer = "" }) => pointer);
    expect(pointers.toSorted()).toEqual(["/channels/0/severity", "/channels/0/slackChannelId"]);
    expect(there.map(({ name }) => name)).toEqual(["Slack"]);
  });
});
