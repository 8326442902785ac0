import { expect, test } from "vitest";
import { startSandbox, type SandboxSeed } from "../support/start-sandbox.ts";
import { recordsOn } from "../support/on-stack.ts";
import { recordedExchange } from "../support/recorded-exchanges.ts";
import { sandboxEnv, programForTwoStacks } from "../support/program.ts";
import { alert, dashboard, hexId, source, webhook, archiveIds, targetIds } from "../support/stack-records.ts";

const sideOf = (letter: "a" | "b"): SandboxSeed => ({
  sources: [source(hexId(letter, 1), "Logs", hexId(letter, 9))],
  webhooks: [webhook(hexId(letter, 2), "chat"), webhook(hexId(letter, 3), "pager"), webhook(hexId(letter, 4), "mail")],
});
const board = dashboard(hexId("a", 16), "Overview", archiveIds.source);
const ONE = alert(hexId("a", 32), "One", board, archiveIds.webhook);

test("alerts that a real server showed are created on a managed stack that is strict, but for one with two channels", async () => {
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
  await using stacks = await programForTwoStacks({ variant: "self-hosted", seed }, strict);
  const { from, to, run, json } = stacks;
  const flags = "--create saved-searches";
  const document = await json(`migrate --from $FROM --to $TO ${flags}`);
  const outcomes = document["outcomes"] as { kind: string; status: string }[];
  expect(outcomes.filter(({ kind, status }) => kind === "alerts" && status !== "done")).toMatchObject([
    { action: "create", code: "rejected" },
  ]);
  const created = await recordsOn(to, "alerts");
  expect(created.map((each) => Object.hasOwn(each, "channels"))).toEqual([false, false, false]);
  const dropped = [{ code: "left-out", pointer: "/tiles/0/config/seriesLimit" }];
  expect(document["warnings"]).toMatchObject(dropped);

  // Files do not tell from which variant they are, so they are applied to a second target.
  await using empty = await startSandbox(strict);
  const env = sandboxEnv(from, empty);
  expect((await run("export --from $FROM --format code --out stack")).exitCode).toBe(0);
  const apply = `apply stack --to ${empty.stack} ${flags}`;
  const applied = await json(apply, { env });
  expect((applied["outcomes"] as typeof outcomes).filter(({ status }) => status === "failed")).toMatchObject([
    { code: "rejected" },
  ]);
  expect(await recordsOn(empty, "dashboards")).toHaveLength(seed.dashboards.length);
  expect(applied["warnings"]).toMatchObject(dropped);
  const again = await json(apply, { env });
  expect(again).toHaveProperty("counts.unchanged");
  expect(again).not.toHaveProperty("counts.update");
});

test("the channels of a managed stack arrive whole on another managed stack, e-mail addresses included", async () => {
  const mail = { type: "email", emailRecipients: ["ops@example.com", "boss@example.com"] };
  const slack = { type: "webhook", webhookId: archiveIds.webhook, slackChannelId: "C0123", severity: "critical" };
  const alerts = [mail, slack].map((channel, index) => {
    const { channels: _none, ...rest } = ONE;
    return { ...rest, id: hexId("a", 40 + index), name: channel.type, channel };
  });
  const ours = { variant: "managed", seed: { ...sideOf("a"), dashboards: [board], alerts } } as const;
  await using stacks = await programForTwoStacks(ours, { variant: "managed", seed: sideOf("b") });
  expect(await stacks.json("migrate --from $FROM --to $TO")).toMatchObject({ exitCode: 0 });
  const stored = await recordsOn(stacks.to, "alerts");
  expect(stored.map(({ channel }) => channel)).toEqual([mail, { ...slack, webhookId: targetIds.webhook }]);
});
