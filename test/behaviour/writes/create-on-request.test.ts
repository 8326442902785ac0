import { describe, expect, it } from "vitest";
import {
  bodiesSentTo,
  importStage,
  outcomeLines,
  outcomeOf,
  withSecrets,
  writesDuring,
  writesOn,
  type ImportStage,
  type JsonObject,
  type RunOptions,
  type StageRun,
} from "../../support/import-stage.ts";
import { failOperation, memoryStack, putRecord, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { alert, dashboard, hexId, records, tileWith, webhook } from "../../support/stack-records.ts";
import { emptyStack, ON_REQUEST } from "./every-kind.ts";

const [MAIN, ONCALL, SEARCH, BOARD] = [hexId("c", 1), hexId("c", 5), hexId("e", 1), hexId("a", 1)];
const [LOGS, TRACES, SESSIONS, METRICS] = [hexId("b", 1), hexId("b", 2), hexId("b", 3), hexId("b", 4)];

const of = (id: string, name: string, kind: string, more: JsonObject): JsonObject => ({
  id,
  name,
  kind,
  connection: MAIN,
  from: { databaseName: "default", tableName: `otel_${name}` },
  timestampValueExpression: "Timestamp",
  ...more,
});

const board = dashboard(BOARD, "Checkout", LOGS);
/** A stack with records of all kinds, three cycles of sources, and an alert on a saved search. */
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
/** Creates a stack that has no routes for connections and saved searches. */
const older = (): MemoryStack => memoryStack({ sources: [], webhooks: [], dashboards: [], alerts: [] });

/**
 * Imports `archived`, and creates every kind of record.
 * @param password the connection's password; null if it has none; false if the secrets file does not say
 */
function create(
  stage: ImportStage,
  archived: Readonly<Record<string, readonly JsonObject[]>> = stack,
  options: RunOptions = {},
  password: string | null | false = "S3cret!",
): Promise<StageRun> {
  const answers = password === false ? {} : { [`connections/${MAIN}`]: { "/password": password } };
  const { records: wanted, secrets } = withSecrets(records(archived), answers);
  return stage.run(wanted, { create: ON_REQUEST, secrets, ...options });
}

/** Returns the ids in a stack's records, by kind and name of the record, each as the name of the record or tile that has it. */
function withNames({ records: byKind }: MemoryStack): unknown {
  const all = [...byKind].flatMap(([kind, bodies]) => [...bodies.values()].map((body) => ({ kind, body })));
  const tiles = all.flatMap(({ body }) => (body["tiles"] ?? []) as JsonObject[]);
  const names = new Map([...all.map(({ body }) => body), ...tiles].map(({ id, name }) => [id, name]));
  return Object.fromEntries(
    all.map(({ kind, body }) => {
      const ids = [...JSON.stringify(body).matchAll(/"(\w*[iI]d|connection)":"([0-9a-f]{24})"/g)];
      const references = ids.map(([, member, id]) => `${member} ${String(names.get(id ?? "") ?? id)}`);
      return [`${kind} ${String(body["name"])}`, references.toSorted()];
    }),
  );
}

const notDone = ({ outcomes }: StageRun): string[] => outcomeLines(outcomes.filter(({ status }) => status !== "done"));

describe("an empty stack that lets everything be created", () => {
  it("gets exactly one of everything, each reference to the record of the same name", async () => {
    const target = emptyStack();
    const run = await create(importStage(target));
    expect([notDone(run), run.warnings]).toEqual([[], []]);
    expect(withNames(target)).toEqual(withNames(memoryStack(stack)));
    expect(recordOn(target, "connections", "Main")).toMatchObject({ host: "http://db:8123", password: "S3cret!" });
    // The run makes as few second writes as possible: writing the traces again closes two of the cycles, and writing the logs
    // again closes the cycle with the metrics.
    expect(bodiesSentTo(target, "update sources")).toHaveLength(2);
    expect(writesOn(target)).toHaveLength(1 + 4 + 2 + 1 + 1 + 1 + 2);
  });

  it("is left alone by a second run, with and without the journal", async () => {
    const target = emptyStack();
    const stage = importStage(target);
    await create(stage);
    const again = async (): Promise<void> => {
      expect((await create(stage)).exitCode).toBe(0);
      expect((await create(importStage(target), stack, {}, false)).exitCode).toBe(0);
    };
    expect(await writesDuring(target, again)).toEqual([]);
  });

  it("has its created records recognised by the next run, even if somebody has changed them since", async () => {
    const target = emptyStack();
    const stage = importStage(target);
    const { webhooks } = stack;
    await create(stage, { webhooks });
    const { id: targetId } = recordOn(target, "webhooks", "oncall");
    changeOn(target, "webhooks", { name: "renamed", service: "generic" });
    const again = await create(stage, { webhooks });
    expect(outcomeOf(again, "oncall")).toMatchObject({ action: "skip", code: "exists", targetId });
    expect(recordsOn(target, "webhooks")).toHaveLength(1);
  });

  it("is finished by the next run where the second write of a source failed, and a changed source is not touched", async () => {
    const target = emptyStack();
    const stage = importStage(target);
    failOperation(target, "update sources", () => refusalError("rejected", "not now"));
    expect((await create(stage)).outcomes.map(({ code }) => code)).toContain("rejected");
    target.intercept = () => {};
    changeOn(target, "sources", { timestampValueExpression: "Theirs" }, "sessions");
    const again = async (): Promise<void> => {
      const run = await create(stage);
      expect(outcomeOf(run, "sessions")).toMatchObject({ action: "skip", code: "exists" });
    };
    const writes = await writesDuring(target, again);
    expect(writes.filter((write) => write === "update sources")).toHaveLength(2);
    const traces = { logSourceId: expect.any(String) as string, sessionSourceId: expect.any(String) as string };
    expect(recordOn(target, "sources", "traces")).toMatchObject(traces);
    expect(notDone(await create(stage))).toEqual([]);
  });

  it("gets no connection without its password in the secrets file, and no record that depends on it", async () => {
    const target = emptyStack();
    const run = await create(importStage(target), stack, {}, false);
    expect(outcomeOf(run, "Main")).toMatchObject({ action: "blocked", code: "redacted" });
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
    expect(bodiesSentTo(target, "create dashboards")).toEqual([]);
    expect(bodiesSentTo(target, "create webhooks")).toHaveLength(1);
  });

  it("gets a connection without a password where the secrets file says that there was none", async () => {
    const target = emptyStack();
    const only = { create: ["connections"], kinds: ["connections"] };
    expect((await create(importStage(target), stack, only, null)).exitCode).toBe(0);
    const sent = { name: "Main", host: "http://db:8123", username: "reader" };
    expect(bodiesSentTo(target, "create connections")).toEqual([sent]);
  });

  it("gets only what the chosen records need", async () => {
    const target = emptyStack();
    await create(importStage(target), stack, { kinds: ["dashboards"] });
    expect(writesOn(target).toSorted()).toEqual([
      "create connections",
      "create dashboards",
      ...stack.sources.map(() => "create sources"),
      "update sources",
      "update sources",
    ]);
  });
});

it.each([
  ["says which --create would help", emptyStack, [], "Checkout", "missing-reference", /--create sources/],
  ["names no --create that the target would refuse", older, [], "Checkout", "missing-reference", /^(?!.*--create)/],
  ["says that the routes are missing", older, ON_REQUEST, "logs", "not-offered", /./],
] as const)("what is not created blocks what needs it: the run %s", async (_, target, asked, name, code, words) => {
  const there = target();
  const run = await create(importStage(there), stack, { create: asked }, false);
  const message = expect.stringMatching(words) as string;
  expect(outcomeOf(run, name)).toMatchObject({ action: "blocked", code, message });
  expect(writesOn(there)).toEqual([]);
});

it("a record that the target creates none of is one to name in a map file", async () => {
  const { plan } = await create(importStage(older()));
  expect(plan.unresolved).toMatchObject([
    { space: "sources", name: "logs", reason: "missing", neededBy: 1 },
    { space: "webhooks", name: "oncall", reason: "missing", neededBy: 2 },
    { space: "saved-searches", name: "Errors", reason: "missing", unlisted: true, neededBy: 1 },
  ]);
});

it("an import asks a deployment that lists saved searches and creates no sources only once", async () => {
  const target = emptyStack();
  failOperation(target, "create webhooks", () => refusalError("not-offered", "POST /webhooks was answered 404"));
  const webhooks = [1, 2, 3, 4, 5, 6].map((number) => webhook(hexId("c", 20 + number), `hook ${number}`, "slack"));
  const run = await create(importStage(target), { webhooks }, { concurrency: 1 });
  expect(bodiesSentTo(target, "create webhooks")).toHaveLength(1);
  expect(run.outcomes.map(({ code }) => code)).toEqual(webhooks.map(() => "not-offered"));
});

it("a record that the target has with other content is named and left unchanged", async () => {
  const theirs = { id: hexId("d", 1), name: "Main", host: "http://db:8123/", username: "other" };
  const target = emptyStack();
  putRecord(target, "connections", theirs);
  const run = await create(importStage(target), stack, { create: ["connections"] }, false);
  expect(outcomeOf(run, "Main")).toMatchObject({ action: "skip", code: "exists", targetId: hexId("d", 1) });
  expect(writesOn(target)).toEqual([]);
});

it("an import keeps and names records that lack the links of a run which was cut short, if its journal is lost", async () => {
  const target = emptyStack();
  failOperation(target, "update sources", () => refusalError("rejected", "not now"));
  await create(importStage(target));
  target.intercept = () => {};
  const again = async (): Promise<void> => {
    // This new stage does not have the journal of the first import.
    const { outcomes } = await create(importStage(target));
    const lacking = outcomes.filter(({ code }) => code === "exists");
    expect(outcomeLines(lacking, "name").toSorted()).toEqual(["logs", "traces"]);
  };
  expect(await writesDuring(target, again)).toEqual([]);
});

it.each(["slack_api", "pagerduty_api"])(
  "an import blocks a webhook of %s, which no create takes, before its secrets are asked for, and what needs it",
  async (service) => {
    const hook = { ...webhook(ONCALL, "oncall", service), url: "https://example.com/«redacted:webhook-url»" };
    const target = emptyStack();
    const run = await create(importStage(target), { ...stack, webhooks: [hook] }, {}, null);
    expect(outcomeOf(run, "oncall")).toMatchObject({ action: "blocked", code: "not-offered" });
    expect(outcomeOf(run, "oncall")?.message).toContain(service);
    expect(run.plan.missingSecrets.filter(({ key }) => key.startsWith("webhooks/"))).toEqual([]);
    expect(outcomeOf(run, "tile")).toMatchObject({ action: "blocked", code: "dependency-blocked" });
    expect(outcomeOf(run, "Checkout")).toMatchObject({ status: "done" });
    expect(bodiesSentTo(target, "create webhooks")).toEqual([]);
  },
);

it("a link to a source that neither the archive nor the target has is left out and named", async () => {
  const target = emptyStack();
  const sources = [of(LOGS, "logs", "log", { traceSourceId: hexId("b", 9) })];
  const { plan } = await create(importStage(target), { connections: stack.connections, sources }, {}, null);
  expect(bodiesSentTo(target, "create sources")[0]).not.toHaveProperty("traceSourceId");
  expect(plan.warnings).toContainEqual(expect.objectContaining({ code: "left-out", pointer: "/traceSourceId" }));
});

it("an import that creates saved searches replaces their old ids in addresses, in markdown and in messages", async () => {
  const at = `https://old.example.com/search/${SEARCH}?live=1`;
  const onClick = { type: "external", urlTemplate: `${at}&q={{x}}` };
  const table = { displayType: "table", sourceId: LOGS, select: [{ aggFn: "count" }], onClick };
  const notes = { displayType: "markdown", markdown: `see [errors](${at}) or ${SEARCH}` };
  const tiles = [
    ...(board["tiles"] as JsonObject[]),
    tileWith(hexId("d", 2), "Notes", notes),
    tileWith(hexId("d", 3), "Table", table),
  ];
  const alerts = stack.alerts.map((each) => ({ ...each, message: `open ${at}` }));
  const target = emptyStack();
  const run = await create(importStage(target), { ...stack, dashboards: [{ ...board, tiles }], alerts }, {}, null);
  expect(notDone(run)).toEqual([]);
  const there = `https://old.example.com/search/${recordOn(target, "saved-searches", "Errors").id}?live=1`;
  const text = JSON.stringify([recordsOn(target, "dashboards"), recordsOn(target, "alerts")]);
  expect(text).not.toContain(SEARCH);
  expect(text.split(there)).toHaveLength(5);
});

it.each<[string, JsonObject, string]>([
  ["another query", { where: "level:debug" }, "exists"],
  ["another filter", { filters: [{ type: "sql", condition: "service IN ('a')" }] }, "exists"],
  ["another source", { sourceId: TRACES }, "exists"],
  ["other columns only", { select: "Body" }, "matched"],
])(
  "an import names a saved search that has %s on the target, though --create does not ask for it",
  async (_, more, code) => {
    const target = emptyStack();
    await create(importStage(target), stack, {}, null);
    const changed = stack["saved-searches"].map((each) => ({ ...each, ...more }));
    const run = await create(importStage(target), { ...stack, "saved-searches": changed }, { create: [] }, null);
    expect(run.exitCode).toBe(0);
    expect(outcomeOf(run, "Errors")).toMatchObject({ action: "skip", code });
  },
);
