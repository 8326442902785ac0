import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeOf,
  bodiesSentTo,
  outcomeLines,
  writesDuring,
  type JsonObject,
  type RunOptions,
  type StageRun,
} from "../../support/import-stage.ts";
import { failOperation, lostAnswerError, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import {
  alert,
  dashboard,
  hexId,
  records,
  source,
  tileWith,
  webhook,
  archiveIds,
  targetIds,
} from "../../support/stack-records.ts";
import { dependencies, usualTarget } from "../../support/import-samples.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startJsonServer } from "../../support/fake-server.ts";
import { documentOf, runCli } from "../../support/run-cli.ts";

const MANAGED = { variant: "managed", baseUrl: "http://managed.test" } as const;

const filtered = (number: number, more: JsonObject = { sourceMetricType: "gauge" }): JsonObject => {
  const filter = {
    id: hexId("e", 1),
    type: "QUERY_EXPRESSION",
    name: "F",
    expression: "A",
    sourceId: archiveIds.source,
  };
  return dashboard(hexId("a", 16 + number), `Board ${number}`, archiveIds.source, {
    filters: [{ ...filter, ...more }],
  });
};
const archiveOf = (dashboards: readonly JsonObject[], alerts: readonly JsonObject[] = []) =>
  records({ dashboards, alerts, ...dependencies.ours });

/** Makes the stack refuse filters with these members, and name the members as a server does. */
function refuseInFilters(stack: MemoryStack, ...unknown: readonly string[]): void {
  stack.intercept = (operation, body) => {
    if (!/^(create|update) dashboards$/.test(operation)) return;
    const filters = (body?.["filters"] ?? []) as readonly JsonObject[];
    const faults = filters.flatMap((each, index) => {
      const own = unknown.filter((member) => each[member] !== undefined).map((member) => `'${member}'`);
      return own.length === 0 ? [] : [`filters.${index}: Unrecognized key(s) in object: ${own.join(", ")}`];
    });
    if (faults.length > 0) throw refusalError("rejected", `Body validation failed: ${faults.join("; ")}`);
  };
}

const losses = ({ warnings }: StageRun): unknown[] =>
  warnings.filter(({ code }) => code === "left-out").map(({ pointer }) => pointer);
const METRIC = "/filters/0/sourceMetricType";
/** Creates a stack that refuses the metric type of a filter. */
const withoutMetrics = (dashboards: readonly JsonObject[] = []): MemoryStack => {
  const stack = usualTarget({ dashboards });
  refuseInFilters(stack, "sourceMetricType");
  return stack;
};

describe("a member that the stack refuses by name", () => {
  it("is left out and named, and the records after it are sent without it at once", async () => {
    const stack = withoutMetrics();
    const stage = importStage(stack);
    const run = await stage.run(archiveOf([filtered(1), filtered(2), filtered(3)]), { concurrency: 1 });
    expect(run.exitCode).toBe(0);
    expect(losses(run)).toEqual([METRIC, METRIC, METRIC]);
    expect(recordsOn(stack, "dashboards")).toHaveLength(3);
    expect(JSON.stringify(recordsOn(stack, "dashboards"))).not.toContain("MetricType");
    // Two more creates may have been under way when the first one was refused.
    expect(bodiesSentTo(stack, "create dashboards").length).toBeLessThanOrEqual(3 + 2);
    const refused = stage.history.filter(({ type }) => type === "refused").length;
    expect(stage.history.filter(({ type }) => type === "intent")).toHaveLength(3 + refused);
    expect(stage.history.filter(({ type }) => type === "done")).toHaveLength(3);
  });

  it("is sent without a warning if the stack accepts it", async () => {
    const stack = usualTarget();
    const run = await importStage(stack).run(archiveOf([filtered(1)]), { source: MANAGED });
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ filters: [{ sourceMetricType: "gauge" }] }]);
    expect(run.warnings).toEqual([]);
    expect(run.plan.warnings).toEqual([]);
  });

  it("is left out of an update, and the next run writes nothing, without a state and with one", async () => {
    const there = dashboard(hexId("b", 17), "Board 1", targetIds.source);
    for (const stageOf of [importStage, importStage]) {
      const stack = withoutMetrics([there]);
      const options: RunOptions = { onConflict: "overwrite" };
      const first = await stageOf(stack).run(archiveOf([filtered(1)]), options);
      expect(outcomeOf(first, "Board 1")).toMatchObject({ action: "update", status: "done" });
      expect(losses(first)).toEqual([METRIC]);
      const before = recordsOn(stack, "dashboards");
      // With a new journal, the run learns only from the target's responses.
      const second = await importStage(stack).run(archiveOf([filtered(1)]), options);
      expect(outcomeOf(second, "Board 1")).toMatchObject({ action: "unchanged", status: "done" });
      expect(recordsOn(stack, "dashboards")).toEqual(before);
    }
  });

  it("is not sent again by a later run with the same state", async () => {
    const stack = withoutMetrics();
    const stage = importStage(stack);
    await stage.run(archiveOf([filtered(1)]), { onConflict: "overwrite" });
    const again = async (): Promise<void> => {
      const run = await stage.run(archiveOf([filtered(1)]), { onConflict: "overwrite" });
      expect(outcomeOf(run, "Board 1")).toMatchObject({ action: "unchanged" });
    };
    expect(await writesDuring(stack, again)).toEqual([]);
  });

  it("is left out, and the record created once, although the response to the second try is lost", async () => {
    const stack = withoutMetrics();
    let creates = 0;
    stack.interceptAfter = (operation) => {
      if (operation === "create dashboards" && (creates += 1) === 1) throw lostAnswerError();
    };
    const run = await importStage(stack).run(archiveOf([filtered(1)]));
    expect(outcomeOf(run, "Board 1")).toMatchObject({ status: "done" });
    expect(recordsOn(stack, "dashboards")).toHaveLength(1);
  });

  it("of one type of tile stays in the others", async () => {
    const tile = (number: number, displayType: string): JsonObject => {
      const config = { displayType, sourceId: archiveIds.source, select: [{ aggFn: "count" }], groupBy: "Host" };
      return tileWith(hexId("d", number), `T${number}`, config);
    };
    const stack = usualTarget();
    stack.intercept = (_, body) => {
      const tiles = (body?.["tiles"] ?? []) as readonly { config: JsonObject }[];
      const index = tiles.findIndex(({ config }) => config["displayType"] === "number" && "groupBy" in config);
      const fault = `tiles.${index}.config: Unrecognized key(s) in object: 'groupBy'`;
      if (index >= 0) throw refusalError("rejected", `Body validation failed: ${fault}`);
    };
    const board = {
      ...dashboard(hexId("a", 16), "Board", archiveIds.source),
      tiles: [tile(1, "line"), tile(2, "number")],
    };
    const run = await importStage(stack).run(archiveOf([board]));
    expect(losses(run)).toEqual(["/tiles/1/config/groupBy"]);
    const tiles = [{ config: { groupBy: "Host" } }, { config: {} }];
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tiles }]);
  });
});

describe("a member that must not be lost", () => {
  it.each<[string, JsonObject]>([
    ["where", { where: "A = 1" }],
    ["whereLanguage", { where: "A = 1", whereLanguage: "lucene" }],
    ["expression", {}],
  ])("%s: the record is refused and not written without it", async (member, more) => {
    const stack = usualTarget();
    refuseInFilters(stack, member);
    const run = await importStage(stack).run(archiveOf([filtered(1, more)]));
    expect(outcomeOf(run, "Board 1")).toMatchObject({ status: "failed", code: "rejected" });
    expect(recordsOn(stack, "dashboards")).toEqual([]);
  });

  it.each(["channels", "threshold", "groupBy"])("%s of an alert: the record is refused, too", async (member) => {
    const board = dashboard(hexId("a", 16), "Board", archiveIds.source);
    const busy = alert(hexId("a", 32), "Busy", board, archiveIds.webhook, { groupBy: "Host" });
    const stack = usualTarget();
    stack.intercept = (operation, body) => {
      if (operation !== "create alerts" || body?.[member] === undefined) return;
      throw refusalError("rejected", `Body validation failed: Unrecognized key(s) in object: '${member}'`);
    };
    const run = await importStage(stack).run(archiveOf([board], [busy]));
    expect(outcomeOf(run, "Busy")).toMatchObject({ status: "failed", code: "rejected" });
  });
});

it("a refusal that names no member is the record's end: nothing is sent a second time", async () => {
  const stack = usualTarget();
  failOperation(stack, "create dashboards", () => refusalError("rejected", "Invalid input"));
  const run = await importStage(stack).run(archiveOf([filtered(1, { moodOfTheDay: "gauge" })]));
  expect(outcomeOf(run, "Board 1")).toMatchObject({ status: "failed", code: "rejected" });
  expect(bodiesSentTo(stack, "create dashboards")).toHaveLength(1);
});

describe("a member that the stack drops without a word", () => {
  it.each(["sourceMetricType", "isBroadcastEnabled", "variableName"])("%s is named after the write", async (member) => {
    const stack = usualTarget();
    stack.replaceStored = (operation, body) => {
      if (operation !== "create dashboards") return body;
      const filters = (body["filters"] as readonly JsonObject[]).map(({ [member]: _dropped, ...rest }) => rest);
      return { ...body, filters };
    };
    const run = await importStage(stack).run(archiveOf([filtered(1, { [member]: "x" })]));
    expect(run.warnings).toMatchObject([{ code: "not-stored", pointer: `/filters/0/${member}` }]);
  });
});

const select = [{ aggFn: "count", where: "", whereLanguage: "lucene" }];
const line = { displayType: "line", sourceId: hexId("e", 1), asRatio: false, select };
/** The second tile lacks `fillNulls`: it is a substitute for a tile that the API cannot show. */
const tiles = [tileWith("t1", "Tile 1", { ...line, fillNulls: true }), tileWith("t2", "Tile 2", line)];
const overview = dashboard(hexId("d", 1), "Overview", "", { tiles });
const silenced = { by: "jo", at: "2026-11-24T20:00:00.000Z", until: "2026-12-24T20:00:00.000Z" };

/** A silenced alert, and a webhook and a connection with members that no answer shows. */
const RECORDS: Readonly<Record<string, readonly JsonObject[]>> = {
  dashboards: [overview],
  alerts: [alert(hexId("a", 1), "Errors", overview, hexId("b", 1), { silenced })],
  webhooks: [webhook(hexId("b", 1), "hook")],
  sources: [source(hexId("e", 1), "Logs", hexId("c", 1))],
  connections: [{ id: hexId("c", 1), name: "Main", host: "http://store.example.com:8123", username: "r" }],
};
const env = { STACKFERRY_API_KEY: "key-of-this-run" };

function stack() {
  return startJsonServer((kind, id) => {
    const data = RECORDS[kind] ?? [];
    return { data: id === undefined ? data : data.find((each) => each["id"] === id) };
  });
}

describe("records and members that a stack does not show", () => {
  it("are in the manifest, counted if possible, and make the kind partial and the export no failure", async () => {
    await using server = await stack();
    const run = await runCli(["export", "--from", server.url, "--out", "a.zip", "--json"], { env });
    const document = documentOf(run);
    expect(document).toMatchObject({
      exitCode: 0,
      kinds: { dashboards: { status: "partial", count: 1 }, alerts: { status: "complete" } },
    });
    const inspected = documentOf(await runCli(["inspect", "a.zip", "--json"], { cwd: run.cwd }));
    const { notHeld } = inspected["manifest"] as { notHeld: { code: string; kind?: string; count?: number }[] };
    expect(outcomeLines(notHeld, "code", "kind", "count")).toEqual(
      expect.arrayContaining([
        "substitute-tiles dashboards 1",
        "silenced alerts 1",
        "write-only-members webhooks 1",
        "write-only-members connections 1",
        "telemetry",
        "people",
        "routes",
      ]),
    );
    expect(document["notHeld"]).toEqual(notHeld);
  });

  it("are named by inspect, the report and its page", async () => {
    await using server = await stack();
    const { cwd, stdout } = await runCli(["export", "--from", server.url, "--out", "a.zip"], { env });
    const text = (await runCli(["inspect", "a.zip"], { cwd })).stdout;
    const report = (await runCli(["report", "a.zip"], { cwd })).stdout;
    await runCli(["report", "a.zip", "--out", "a.html"], { cwd });
    const page = await readFile(join(cwd, "a.html"), "utf8");
    for (const each of [stdout, text, report, page]) expect(each).toContain("Tile 2");
    for (const each of [text, report, page]) expect(each).toContain("API keys");
  });

  it("are named when the user selects kinds that the stack does not have: exit 3 if it has none of them", async () => {
    await using server = await stack();
    for (const [kinds, exitCode] of [
      ["pipes", 3],
      ["alerts,pipes", 0],
    ] as const) {
      const words = ["export", "--from", server.url, "--kinds", kinds, "--out", `${exitCode}.zip`, "--json"];
      const document = documentOf(await runCli(words, { env }));
      expect(document).toMatchObject({ exitCode, warnings: [{ code: "not-offered" }] });
    }
  });
});
