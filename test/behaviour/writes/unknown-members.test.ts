import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveOf, board, dependencies, logs, newStage, update, usualTarget } from "../../support/import-samples.ts";
import {
  bodiesSentTo,
  importInto,
  importStage,
  outcomeLines,
  outcomeOf,
  writesDuring,
  type ImportStage,
  type JsonObject,
  type StageRun,
} from "../../support/import-stage.ts";
import { failOperation, lostAnswerError, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { programWithArchive } from "../../support/program-with-archive.ts";
import { programForOneStack, programForTwoStacks } from "../../support/program.ts";
import { documentOf } from "../../support/run-cli.ts";
import { alert, archiveIds, dashboard, hexId, records, targetIds, tileWith } from "../../support/stack-records.ts";
import type { SandboxOptions } from "../../support/start-sandbox.ts";

/** Makes a dashboard with one filter. */
function filtered(number: number, more: JsonObject = { sourceMetricType: "gauge" }): JsonObject {
  const filter = { id: hexId("e", 1), type: "QUERY_EXPRESSION", name: "F", expression: "A" };
  return board(number, { filters: [{ ...filter, sourceId: archiveIds.source, ...more }] });
}

/** Creates a stack that refuses this member of filters, and names it as a server does. */
function refusingInFilters(member: string, dashboards: readonly JsonObject[] = []): MemoryStack {
  const stack = usualTarget({ dashboards });
  stack.intercept = (operation, body) => {
    if (!/^(create|update) dashboards$/.test(operation)) return;
    const filters = (body?.["filters"] ?? []) as readonly JsonObject[];
    const faults = filters.flatMap((each, index) =>
      each[member] === undefined ? [] : [`filters.${index}: Unrecognized key(s) in object: '${member}'`],
    );
    if (faults.length > 0) throw refusalError("rejected", `Body validation failed: ${faults.join("; ")}`);
  };
  return stack;
}

/** Creates a stack that drops this member of filters. */
function droppingInFilters(member: string, dashboards: readonly JsonObject[] = []): MemoryStack {
  const stack = usualTarget({ dashboards });
  stack.replaceStored = (_, { filters, ...body }) => ({
    ...body,
    filters: (filters as JsonObject[]).map(({ [member]: _dropped, ...rest }) => rest),
  });
  return stack;
}

/** Returns a line for each member that a run has lost. */
const losses = ({ warnings, plan }: StageRun): string[] =>
  outcomeLines(
    [...plan.warnings, ...warnings].filter(({ code }) => code === "left-out" || code === "not-stored"),
    "code",
    "pointer",
  );

/** Imports the dashboard "Board 16". Returns the end of its outcome, the members that are lost, and the exit code. */
async function runOf(stage: ImportStage): Promise<readonly [end: string, losses: string[], exitCode: number]> {
  const run = await stage.run(archiveOf(filtered(16)), update);
  const { action, status } = outcomeOf(run, "Board 16") ?? {};
  return [`${action} ${status}`, losses(run), run.exitCode];
}

const theirs = dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] });
const [LEFT_OUT, NOT_STORED] = ["left-out /filters/0/sourceMetricType", "not-stored /filters/0/sourceMetricType"];

describe("a member that the stack refuses by name", () => {
  it("is left out and named, and the records after it are sent without it at once", async () => {
    const { stack, stage } = newStage(refusingInFilters("sourceMetricType"));
    const run = await stage.run(archiveOf(filtered(16), filtered(17), filtered(18)), { concurrency: 1 });
    expect(run.exitCode).toBe(0);
    expect(losses(run)).toEqual([LEFT_OUT, LEFT_OUT, LEFT_OUT]);
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
    const source = { variant: "managed", baseUrl: "http://managed.test" } as const;
    const run = await importInto(stack, archiveOf(filtered(16)), { source });
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ filters: [{ sourceMetricType: "gauge" }] }]);
    expect(run.warnings).toEqual([]);
    expect(run.plan.warnings).toEqual([]);
  });

  it.each([
    ["a create", []],
    ["an update", [theirs]],
  ])("is left out of %s, and later runs write nothing, with the journal and without it", async (_, dashboards) => {
    const { stack, stage } = newStage(refusingInFilters("sourceMetricType", dashboards));
    const action = dashboards.length > 0 ? "update" : "create";
    expect(await runOf(stage)).toEqual([`${action} done`, [LEFT_OUT], 0]);
    const stored = recordsOn(stack, "dashboards");
    expect(await writesDuring(stack, () => stage.run(archiveOf(filtered(16)), update))).toEqual([]);
    expect(await runOf(stage)).toEqual(["unchanged done", [], 0]);
    // With a new journal, the run learns only from the target's responses.
    expect(await runOf(importStage(stack))).toEqual(["unchanged done", [LEFT_OUT], 0]);
    expect(recordsOn(stack, "dashboards")).toEqual(stored);
  });

  it("is left out, and the record created once, although the response to the second try is lost", async () => {
    const stack = refusingInFilters("sourceMetricType");
    let creates = 0;
    stack.interceptAfter = (operation) => {
      if (operation === "create dashboards" && (creates += 1) === 1) throw lostAnswerError();
    };
    const run = await importInto(stack, archiveOf(filtered(16)));
    expect(outcomeOf(run, "Board 16")).toMatchObject({ status: "done" });
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
    const run = await importInto(stack, archiveOf(board(16, { tiles: [tile(1, "line"), tile(2, "number")] })));
    expect(losses(run)).toEqual(["left-out /tiles/1/config/groupBy"]);
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
    const stack = refusingInFilters(member);
    const run = await importInto(stack, archiveOf(filtered(16, more)));
    expect(outcomeOf(run, "Board 16")).toMatchObject({ status: "failed", code: "rejected" });
    expect(recordsOn(stack, "dashboards")).toEqual([]);
  });

  it.each(["channels", "threshold", "groupBy"])("%s of an alert: the record is refused, too", async (member) => {
    const busy = alert(hexId("a", 32), "Busy", board(16), archiveIds.webhook, { groupBy: "Host" });
    const stack = usualTarget();
    stack.intercept = (operation, body) => {
      if (operation !== "create alerts" || body?.[member] === undefined) return;
      throw refusalError("rejected", `Body validation failed: Unrecognized key(s) in object: '${member}'`);
    };
    const run = await importInto(stack, records({ dashboards: [board(16)], alerts: [busy], ...dependencies.ours }));
    expect(outcomeOf(run, "Busy")).toMatchObject({ status: "failed", code: "rejected" });
  });
});

it("a refusal that names no member is the record's end: nothing is sent a second time", async () => {
  const stack = usualTarget();
  failOperation(stack, "create dashboards", () => refusalError("rejected", "Invalid input"));
  const run = await importInto(stack, archiveOf(filtered(16, { moodOfTheDay: "gauge" })));
  expect(outcomeOf(run, "Board 16")).toMatchObject({ status: "failed", code: "rejected" });
  expect(bodiesSentTo(stack, "create dashboards")).toHaveLength(1);
});

it("a member that the stack drops without a word is written once, and named again without the journal", async () => {
  const { stack, stage } = newStage(droppingInFilters("sourceMetricType", [theirs]));
  expect(await runOf(stage)).toEqual(["update done", [NOT_STORED], 0]);
  expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: [] }]);
  expect(await writesDuring(stack, () => stage.run(archiveOf(filtered(16)), update))).toEqual([]);
  expect(await runOf(stage)).toEqual(["unchanged done", [], 0]);
  expect(await runOf(importStage(stack))).toEqual(["update done", [NOT_STORED], 0]);
});

it.each(["sourceMetricType", "isBroadcastEnabled", "variableName"])(
  "the member %s of a filter, which the stack drops without a word, is named after the write",
  async (member) => {
    const run = await importInto(droppingInFilters(member), archiveOf(filtered(16, { [member]: "x" })));
    expect(losses(run)).toEqual([`not-stored /filters/0/${member}`]);
  },
);

const connections = [{ id: hexId("c", 1), name: "Main", host: "http://db:8123", username: "reader" }];

/** Shows the dashboards as a newer release does: their tiles have the member `mood`. */
const addMood: SandboxOptions["intercept"] = async ({ route }, proceed) => {
  const answer = await proceed();
  if (!route.startsWith("GET dashboards") || answer.status !== 200) return answer;
  const text = (await answer.text()).replaceAll('"displayType":', '"mood":"calm","displayType":');
  return new Response(text, { status: 200, headers: { "content-type": "application/json" } });
};

it.each([
  ["refuses by name", true, "left-out"],
  ["drops without a word", false, "not-stored"],
])("a member that a managed target %s is told by a dry run as by the run", async (_, strict, code) => {
  const seed = { connections, sources: [logs], dashboards: [board(16)] };
  await using stacks = await programForTwoStacks(
    { variant: "self-hosted", seed, intercept: addMood },
    { variant: "managed", ids: "hex", strict, seed: { sources: [logs] } },
  );
  const { json, to } = stacks;
  const losses = async (flag: string): Promise<unknown> => {
    const { exitCode, warnings } = await json(`migrate --from $FROM --to $TO ${flag}`);
    expect(exitCode).toBe(0);
    return (warnings as { code: string }[]).filter((warning) => /^(?:left-out|not-stored)$/.test(warning.code));
  };
  const dry = await losses("--dry-run");
  expect(dry).toMatchObject([{ code, pointer: "/tiles/0/config/mood" }]);
  expect(to.stored().dashboards).toEqual([]);
  expect(await losses("--yes")).toEqual(dry);
  expect(to.stored().dashboards).toHaveLength(1);
});

it("a dry run onto a target that keeps everything tells of no loss", async () => {
  await using program = await programWithArchive();
  expect(documentOf(await program.run(program.migration("--dry-run")))).toMatchObject({ exitCode: 0, warnings: [] });
});

it("a member that the target drops is written once by apply with the state of a configuration", async () => {
  await using program = await programForOneStack({
    variant: "self-hosted",
    seed: { sources: [logs], dashboards: [board(16, { tags: ["old"] })] },
  });
  const { stack, cwd, json } = program;
  const config = { stacks: { lab: { variant: "self-hosted", baseUrl: stack.stack, apiKey: stack.apiKey } } };
  await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify(config));
  await mkdir(join(cwd, "stack/dashboards"), { recursive: true });
  const tile = "{name: Notes, x: 0, y: 0, w: 6, h: 3, config: {displayType: markdown, markdown: Hi, mood: calm}}";
  await writeFile(join(cwd, "stack/dashboards/board.yaml"), `name: Board 16\ntags: [new]\ntiles:\n  - ${tile}\n`);
  const writes = () => stack.stats().byRoute["PUT dashboards/{id}"] ?? 0;
  const apply = () => json("apply stack --to lab --yes");
  const warnings = expect.arrayContaining([expect.objectContaining({ code: "not-stored" })]);
  expect(await apply()).toMatchObject({ counts: { update: 1 }, warnings });
  expect(writes()).toBe(1);
  expect(await apply()).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
  expect(writes()).toBe(1);
});
