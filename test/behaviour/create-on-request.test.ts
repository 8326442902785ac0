import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { withSecrets, importStage, outcomeOf, sentTo, storedRecords, writesOn } from "../support/import-stage.ts";
import { memoryStack, refuse, answer } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, tileWith, webhook } from "../support/stack-records.ts";

const ALL = ["connections", "sources", "webhooks", "saved-searches"];
const [MAIN, LOGS, TRACES, SESSIONS, METRICS] = [
  hexId("c", 1),
  hexId("b", 1),
  hexId("b", 2),
  hexId("b", 3),
  hexId("b", 4),
];
const [ONCALL, SEARCH, BOARD] = [hexId("c", 5), hexId("e", 1), hexId("a", 1)];

const of = (id: string, name: string, kind: string, more: JsonObject): JsonObject => ({
  id,
  name,
  kind,
  connection: MAIN,
  from: { databaseName: "default", tableName: `otel_${name}` },
  timestampValueExpression: "Timestamp",
  ...more,
});

/** A stack with all kinds: two cycles of sources, an alert on a saved search. */
const board = dashboard(BOARD, "Checkout", LOGS);
const stack = {
  connections: [{ id: MAIN, name: "Main", host: "http://db:8123", username: "reader" }],
  sources: [
    of(LOGS, "logs", "log", { traceSourceId: TRACES, metricSourceId: METRICS }),
    of(TRACES, "traces", "trace", { logSourceId: LOGS, sessionSourceId: SESSIONS }),
    of(SESSIONS, "sessions", "session", { traceSourceId: TRACES }),
    of(METRICS, "metrics", "metric", { logSourceId: LOGS }),
  ],
  webhooks: [{ ...webhook(ONCALL, "oncall"), service: "slack" }],
  "saved-searches": [{ id: SEARCH, name: "Errors", sourceId: LOGS, where: "level:error", tags: [] }],
  dashboards: [board],
  alerts: [
    alert(hexId("a", 2), "tile", board, ONCALL),
    {
      ...alert(hexId("a", 3), "search", board, ONCALL),
      source: "saved_search",
      savedSearchId: SEARCH,
      dashboardId: null,
      tileId: null,
    },
  ],
};
const empty = () =>
  memoryStack({ connections: [], sources: [], webhooks: [], "saved-searches": [], dashboards: [], alerts: [] });
const archive = () => withSecrets(records(stack), { [`connections/${MAIN}`]: { "/password": "S3cret!" } });

describe("an empty stack that lets everything be created", () => {
  it("gets exactly one of everything, each reference to the record of the same name", async () => {
    const target = empty();
    const { records: wanted, secrets } = archive();
    const run = await importStage(target).run(wanted, { create: ALL, secrets });
    expect(run.outcomes.filter(({ status }) => status !== "done")).toEqual([]);
    expect(run.warnings).toEqual([]);
    const named = (kind: string): Record<string, JsonObject> =>
      Object.fromEntries(storedRecords(target, kind).map((body) => [String(body["name"]), body as JsonObject]));
    const idOf = (kind: string, name: string): unknown => named(kind)[name]?.["id"];
    expect(named("connections")["Main"]).toMatchObject({ host: "http://db:8123", password: "S3cret!" });
    expect(Object.keys(named("sources")).sort()).toEqual(["logs", "metrics", "sessions", "traces"]);
    for (const body of storedRecords(target, "sources")) expect(body["connection"]).toBe(idOf("connections", "Main"));
    expect(named("sources")["logs"]).toMatchObject({
      traceSourceId: idOf("sources", "traces"),
      metricSourceId: idOf("sources", "metrics"),
    });
    expect(named("sources")["traces"]).toMatchObject({
      logSourceId: idOf("sources", "logs"),
      sessionSourceId: idOf("sources", "sessions"),
    });
    expect(named("sources")["sessions"]).toMatchObject({ traceSourceId: idOf("sources", "traces") });
    expect(named("saved-searches")["Errors"]).toMatchObject({ sourceId: idOf("sources", "logs") });
    expect(named("alerts")["search"]).toMatchObject({ savedSearchId: idOf("saved-searches", "Errors") });
    expect(JSON.stringify(storedRecords(target, "alerts"))).not.toContain(ONCALL);
    expect(JSON.stringify([...target.records.values()].map((all) => [...all.values()]))).not.toMatch(/[bce]{20}000\d/);
  });

  it("takes the fewest second writes: traces alone close both of its cycles, logs the one with metrics", async () => {
    const target = empty();
    const { records: wanted, secrets } = archive();
    await importStage(target).run(wanted, { create: ALL, secrets });
    expect(sentTo(target, "update sources").map(({ name }) => name)).toHaveLength(2);
    expect(writesOn(target)).toHaveLength(1 + 4 + 2 + 1 + 1 + 1 + 2);
  });

  it("is left alone by a second run, with and without the journal", async () => {
    const target = empty();
    const { records: wanted, secrets } = archive();
    const stage = importStage(target);
    await stage.run(wanted, { create: ALL, secrets });
    const written = writesOn(target).length;
    expect((await stage.run(wanted, { create: ALL, secrets })).exitCode).toBe(0);
    expect((await importStage(target).run(records(stack), { create: ALL })).exitCode).toBe(0);
    expect(writesOn(target)).toHaveLength(written);
  });

  it("has what a run created recognised by the next, whatever somebody has made of it since", async () => {
    const target = empty();
    const stage = importStage(target);
    const hooks = records({ webhooks: stack.webhooks });
    const made = outcomeOf(await stage.run(hooks, { create: ["webhooks"] }), "oncall")?.targetId ?? "";
    const there = target.records.get("webhooks");
    there?.set(made, { ...there.get(made), name: "renamed", service: "generic" });
    expect(outcomeOf(await stage.run(hooks, { create: ["webhooks"] }), "oncall")).toMatchObject({
      action: "skip",
      code: "differs",
      targetId: made,
    });
    expect(there?.size).toBe(1);
  });

  it("is finished by the next run where the second write of a source failed, and a changed source is not touched", async () => {
    const target = empty();
    const { records: wanted, secrets } = archive();
    const stage = importStage(target);
    answer(target, "update sources", () => refuse("rejected", "not now"));
    const first = await stage.run(wanted, { create: ALL, secrets });
    expect(first.outcomes.filter(({ code }) => code !== undefined).map(({ code }) => code)).toContain("rejected");
    target.intercept = () => {};
    const [changed] = [...(target.records.get("sources") ?? [])].filter(([, { name }]) => name === "sessions");
    if (changed) target.records.get("sources")?.set(changed[0], { ...changed[1], timestampValueExpression: "Theirs" });
    const before = writesOn(target).length;
    const run = await stage.run(wanted, { create: ALL, secrets });
    expect(outcomeOf(run, "sessions")).toMatchObject({ action: "skip", code: "differs" });
    const traces = storedRecords(target, "sources").find(({ name }) => name === "traces");
    expect(traces).toHaveProperty("logSourceId");
    expect(traces).toHaveProperty("sessionSourceId");
    expect(
      writesOn(target)
        .slice(before)
        .filter((write) => write === "update sources"),
    ).toHaveLength(2);
    expect(
      (await stage.run(wanted, { create: ALL, secrets })).outcomes.filter(({ status }) => status !== "done"),
    ).toEqual([]);
  });

  it("is asked for no connection whose password nobody has named, and for nothing that needs it", async () => {
    const target = empty();
    const run = await importStage(target).run(records(stack), { create: ALL });
    expect(outcomeOf(run, "Main")).toMatchObject({ action: "blocked", code: "write-only" });
    expect(outcomeOf(run, "logs")).toMatchObject({ action: "blocked", code: "dependency-blocked" });
    expect(run.plan.missingSecrets).toEqual([
      {
        key: `connections/${MAIN}`,
        name: "Main",
        pointer: "/password",
        rules: ["connection-password"],
        context: expect.stringMatching(/^[0-9a-f]{24}$/),
        around: ["host http://db:8123"],
        writeOnly: true,
      },
    ]);
    expect(sentTo(target, "create dashboards")).toEqual([]);
    expect(sentTo(target, "create webhooks")).toHaveLength(1);
  });

  it("gets a connection without a password where the secrets file says that there was none", async () => {
    const target = empty();
    const { records: wanted, secrets } = withSecrets(records(stack), {
      [`connections/${MAIN}`]: { "/password": null },
    });
    const run = await importStage(target).run(wanted, {
      create: ["connections"],
      kinds: ["connections"],
      secrets,
    });
    expect(run.exitCode).toBe(0);
    expect(sentTo(target, "create connections")).toEqual([
      { name: "Main", host: "http://db:8123", username: "reader" },
    ]);
  });
});

describe("without --create", () => {
  it("blocks what needs them, and says which --create would help", async () => {
    const target = empty();
    const run = await importStage(target).run(records(stack));
    expect(outcomeOf(run, "Checkout")).toMatchObject({ action: "blocked", code: "missing-source" });
    expect(outcomeOf(run, "Checkout")?.message).toContain("--create sources");
    expect(writesOn(target)).toEqual([]);
  });

  it("names no --create that the target would refuse", async () => {
    const target = memoryStack({ sources: [], webhooks: [], dashboards: [], alerts: [] });
    const run = await importStage(target).run(records(stack));
    expect(outcomeOf(run, "Checkout")?.message).not.toContain("--create");
  });
});

it("says of a deployment without the routes that they are missing, and asks for none of them", async () => {
  const target = memoryStack({ sources: [], webhooks: [], dashboards: [], alerts: [] });
  const run = await importStage(target).run(records(stack), { create: ALL });
  expect(outcomeOf(run, "logs")).toMatchObject({ action: "blocked", code: "create-not-offered" });
  expect(writesOn(target)).toEqual([]);
});

it("asks a deployment that lists saved searches and creates no sources only once", async () => {
  const target = empty();
  answer(target, "create webhooks", () => refuse("not-offered", "POST /webhooks was answered 404"));
  const many = [1, 2, 3, 4, 5, 6].map((number) => ({
    ...webhook(hexId("c", 20 + number), `hook ${number}`),
    service: "slack",
  }));
  const run = await importStage(target).run(records({ webhooks: many }), { create: ["webhooks"], concurrency: 1 });
  expect(sentTo(target, "create webhooks")).toHaveLength(1);
  expect(run.outcomes.map(({ code }) => code)).toEqual(many.map(() => "not-offered"));
});

it("names what the target has with other content, and leaves it alone", async () => {
  const target = memoryStack({
    connections: [{ id: hexId("d", 1), name: "Main", host: "http://db:8123/", username: "other" }],
    sources: [],
    webhooks: [],
    "saved-searches": [],
    dashboards: [],
    alerts: [],
  });
  const run = await importStage(target).run(records(stack), { create: ["connections"] });
  expect(outcomeOf(run, "Main")).toMatchObject({ action: "skip", code: "differs", targetId: hexId("d", 1) });
  expect(writesOn(target)).toEqual([]);
});

it("names the links that a run which was cut short has not added, where nothing but its journal could prove it", async () => {
  const target = empty();
  const { records: wanted, secrets } = archive();
  answer(target, "update sources", () => refuse("rejected", "not now"));
  await importStage(target).run(wanted, { create: ALL, secrets });
  target.intercept = () => {};
  const before = writesOn(target).length;
  // Another stage has no history.
  const run = await importStage(target).run(wanted, { create: ALL, secrets });
  const left = run.outcomes.filter(({ code }) => code === "lacks-links");
  expect(left.map(({ name }) => name).toSorted()).toEqual(["metrics", "traces"]);
  expect(left.find(({ name }) => name === "traces")?.message).toMatch(/\/logSourceId, \/sessionSourceId.*journal/);
  expect(run.outcomes.filter(({ code }) => code === "differs")).toEqual([]);
  expect(writesOn(target)).toHaveLength(before);
});

it("blocks a webhook of a service that no create takes, before its secrets are asked for, and what needs it", async () => {
  for (const service of ["slack_api", "pagerduty_api"]) {
    const hook = { ...webhook(ONCALL, "oncall"), service, url: "https://example.com/«redacted:webhook-url»" };
    const target = empty();
    const { records: wanted, secrets } = withSecrets(records({ ...stack, webhooks: [hook] }), {
      [`connections/${MAIN}`]: { "/password": null },
    });
    const run = await importStage(target).run(wanted, { create: ALL, secrets });
    expect(outcomeOf(run, "oncall")).toMatchObject({ action: "blocked", code: "webhook-service" });
    expect(outcomeOf(run, "oncall")?.message).toContain(service);
    expect(run.plan.missingSecrets.filter(({ key }) => key.startsWith("webhooks/"))).toEqual([]);
    expect(outcomeOf(run, "tile")).toMatchObject({ action: "blocked", code: "dependency-blocked" });
    expect(outcomeOf(run, "Checkout")).toMatchObject({ status: "done" });
    expect(sentTo(target, "create webhooks")).toEqual([]);
  }
});

it("leaves out a link to a source that is nowhere, and says so", async () => {
  const target = empty();
  const lone = [of(LOGS, "logs", "log", { traceSourceId: hexId("b", 9) })];
  const archived = withSecrets(records({ connections: stack.connections, sources: lone }), {
    [`connections/${MAIN}`]: { "/password": null },
  });
  const run = await importStage(target).run(archived.records, {
    create: ALL,
    secrets: archived.secrets,
  });
  expect(sentTo(target, "create sources")[0]).not.toHaveProperty("traceSourceId");
  expect(run.plan.warnings).toContainEqual(expect.objectContaining({ code: "left-out", pointer: "/traceSourceId" }));
});

it("maps ids of saved searches that it creates, in addresses, in markdown and in messages", async () => {
  const at = `https://old.example.com/search/${SEARCH}?live=1`;

  const select = [{ aggFn: "count" }];
  const speaking = {
    ...board,
    tiles: [
      ...(board["tiles"] as JsonObject[]),
      tileWith(hexId("d", 2), "Notes", { displayType: "markdown", markdown: `see [errors](${at}) or ${SEARCH}` }),
      tileWith(hexId("d", 3), "Table", {
        displayType: "table",
        sourceId: LOGS,
        select,
        onClick: { type: "external", urlTemplate: `${at}&q={{x}}` },
      }),
    ],
  };
  const alerts = stack.alerts.map((each) => ({ ...each, message: `open ${at}` }));
  const target = empty();
  const { records: wanted, secrets } = withSecrets(records({ ...stack, dashboards: [speaking], alerts }), {
    [`connections/${MAIN}`]: { "/password": null },
  });
  const run = await importStage(target).run(wanted, { create: ALL, secrets });
  expect(run.outcomes.filter(({ status }) => status !== "done")).toEqual([]);
  const [search] = storedRecords(target, "saved-searches");
  const there = `https://old.example.com/search/${String(search?.["id"])}?live=1`;
  const text = JSON.stringify([storedRecords(target, "dashboards"), storedRecords(target, "alerts")]);
  expect(text).not.toContain(SEARCH);
  expect(text.split(there)).toHaveLength(5);
  expect(run.plan.items.find(({ name }) => name === "Checkout")?.rewrites).toEqual([
    "/tiles/1/config/markdown",
    "/tiles/2/config/onClick/urlTemplate",
  ]);
});

it("creates only what the chosen records need", async () => {
  const target = empty();
  const { records: wanted, secrets } = archive();
  await importStage(target).run(wanted, { create: ALL, secrets, kinds: ["dashboards"] });
  expect(storedRecords(target, "webhooks")).toEqual([]);
  expect(storedRecords(target, "saved-searches")).toEqual([]);
  expect(storedRecords(target, "dashboards")).toHaveLength(1);
});
