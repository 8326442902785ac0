import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startSandbox, type Sandbox, type SandboxSeed } from "../support/start-sandbox.ts";
import { disagreementsOf } from "../support/managed-exchange.ts";
import { DESCRIBED_CONNECTION, TARGET_CONNECTION, emptyTarget, everythingDescribed } from "./managed-stack-sample.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { disagreements, shapeNamed, type Shape } from "../support/managed-shapes.ts";
import { recordedExchange } from "../support/recorded-exchanges.ts";

interface Change {
  readonly kind: string;
  readonly name: string;
  readonly change: string;
  readonly members: readonly { readonly pointer: string }[];
}

interface Document {
  readonly exitCode: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly outcomes: readonly {
    readonly kind: string;
    readonly name: string;
    readonly action: string;
    readonly status: string;
    readonly code?: string;
  }[];
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly pointer?: string }[];
  readonly diff: { readonly changes: readonly Change[]; readonly same: number };
}

interface Side {
  readonly sandbox: Sandbox;
  readonly connection: string;
}

/** Returns the number of writes that a stack has received. */
function writesTo(sandbox: Sandbox): number {
  const writes = Object.entries(sandbox.stats().byRoute).filter(([route]) => !route.startsWith("GET "));
  return writes.reduce((sum, [, count]) => sum + count, 0);
}

/** Runs the program between two stacks. Imports also create sources and saved searches. */
async function between(from: Side, to: Side) {
  const cwd = temporaryFolder();
  await writeFile(join(cwd, "map.yaml"), `connections:\n  "${from.connection}": "${to.connection}"\n`);
  const env = { ...sandboxEnv(from.sandbox, to.sandbox), STACKFERRY_CONSISTENCY_WAIT: "50ms" };
  const run = async (...args: string[]): Promise<Document> =>
    documentOf(await runCli([...args, "--map", "map.yaml", "--json"], { env, cwd })) as unknown as Document;
  const [here, there] = [from.sandbox.stack, to.sandbox.stack];
  const words = ["--from", here, "--to", there, "--create", "sources,saved-searches"];
  return {
    migrate: (...more: string[]) => run("migrate", ...words, ...more),
    diff: () => run("diff", here, there),
  };
}

/** The name of each kind's published shape. */
const SHAPES = {
  dashboards: "DashboardResponse",
  alerts: "AlertResponse",
  sources: "Source",
  webhooks: "Webhook",
  "saved-searches": "SavedSearch",
  pipes: "ClickPipe",
} as const;

/** The description allows these words for both kinds of channels, though each makes sense for one of them only. */
const SENSELESS = new Set(["AlertChannelEmail.type = webhook", "AlertChannelWebhook.type = email"]);

describe("a stack with every published shape of managed stacks", () => {
  test("has every member, every branch of every union and every word of every enumeration", () => {
    const seed = everythingDescribed();
    const missing = Object.entries(SHAPES).flatMap(([kind, $ref]) => {
      const found = new Set<string>();
      for (const value of seed[kind as keyof typeof SHAPES] ?? []) markValue({ $ref }, value, kind, found);
      return [...marksOf({ $ref }, kind)].filter((mark) => !found.has(mark) && !SENSELESS.has(mark));
    });
    expect(missing).toEqual([]);
  });

  test("is migrated whole to another managed stack that refuses unknown members", async () => {
    await using from = await startSandbox({ variant: "managed", ids: "hex", seed: everythingDescribed() });
    await using to = await startSandbox({ variant: "managed", ids: "hex", strict: true, seed: emptyTarget() });
    const program = await between(
      { sandbox: from, connection: DESCRIBED_CONNECTION },
      { sandbox: to, connection: TARGET_CONNECTION },
    );
    const first = await program.migrate();
    expect(first.outcomes.filter(({ status }) => status !== "done")).toEqual([]);
    // One source has a query without a language. The description allows that, but a write refuses it.
    const warnings = expect.arrayContaining([expect.objectContaining({ code: "fitted" })]);
    expect(first).toMatchObject({ exitCode: 0, warnings });
    // Webhooks have the same service and name on both sides, so no map is needed.
    const { diff } = await program.diff();
    expect(diff.changes).toEqual([]);
    const before = writesTo(to);
    const again = await program.migrate("--journals", "other");
    expect([again.exitCode, writesTo(to)]).toEqual([0, before]);
  }, 120_000);

  test("loses only named members on a self-hosted stack, and is migrated back as described", async () => {
    await using from = await startSandbox({ variant: "managed", ids: "hex", seed: everythingDescribed() });
    const connections = [{ id: TARGET_CONNECTION, name: "theirs", host: "http://db.example.com", username: "u" }];
    await using there = await startSandbox({ variant: "self-hosted", seed: { ...emptyTarget(), connections } });
    const managed = { sandbox: from, connection: DESCRIBED_CONNECTION };
    const selfHosted = { sandbox: there, connection: TARGET_CONNECTION };
    const program = await between(managed, selfHosted);
    const first = await program.migrate();
    // Some sources lack members that a self-hosted server requires, and self-hosted stacks have no e-mail channels.
    const refused = first.outcomes.filter(({ status }) => status !== "done");
    const reasons = new Set(refused.map(({ kind, code }) => `${kind} ${code}`));
    expect([...reasons].toSorted()).toEqual(["alerts would-be-refused", "sources rejected"]);
    const { diff } = await program.diff();
    expect(differencesIn(diff.changes)).toEqual(lossesNamedIn(first.warnings, refused));
    // A member that the target drops is not written again, even without the journal of the first run.
    const again = await program.migrate("--on-conflict", "overwrite");
    expect(again.outcomes.filter(({ action, code }) => action === "update" || code === "exists")).toEqual([]);
    const gone = diff.changes.filter(({ change }) => change !== "changed").map(({ kind, name }) => `${kind} ${name}`);
    const { webhooks = [], sources = [] } = everythingDescribed();
    // A self-hosted server does not show webhooks of a service that it does not know.
    const isHidden = ({ service }: { readonly service: string }) => service.endsWith("_api");
    const hooks = webhooks as { readonly name: string; readonly service: string }[];
    const expected = [...refused, ...hooks.filter(isHidden).map(({ name }) => ({ kind: "webhooks", name }))];
    expect(gone.toSorted()).toEqual(expected.map(({ kind, name }) => `${kind} ${name}`).toSorted());

    const seed = {
      webhooks: hooks.filter((hook) => !isHidden(hook)),
      sources: sources.slice(0, 2),
      connections: [{ id: DESCRIBED_CONNECTION, name: "ours", host: "h", username: "u" }],
    };
    await using home = await startSandbox({ variant: "managed", ids: "hex", strict: true, seed });
    const back = await between(selfHosted, { sandbox: home, connection: DESCRIBED_CONNECTION });
    const second = await back.migrate();
    expect(second.outcomes.filter(({ status }) => status !== "done")).toEqual([]);
    expect((await back.diff()).diff.changes).toEqual([]);
  }, 120_000);
});

describe("a self-hosted stack with every shape that managed stacks lack", () => {
  test("loses only named members on a managed stack, and a second run writes nothing", async () => {
    await using from = await startSandbox({ variant: "self-hosted", seed: await everythingSelfHosted() });
    await using to = await startSandbox({ variant: "managed", strict: true, seed: "bare" });
    const [here, there] = [from, to].map((sandbox) => String(sandbox.stored().sources[0]?.["connection"]));
    const program = await between({ sandbox: from, connection: here ?? "" }, { sandbox: to, connection: there ?? "" });
    const first = await program.migrate();
    expect(first.outcomes.filter(({ status, action }) => status !== "done" && action !== "skip")).toEqual([]);
    const { diff } = await program.diff();
    const ours = diff.changes.filter(({ kind }) => kind !== "connections" && kind !== "pipes");
    expect(ours.filter(({ change }) => change !== "changed")).toEqual([]);
    const lost = differencesIn(ours);
    expect(lost).toEqual(lossesNamedIn(first.warnings, []));
    expect(lost).toHaveLength(13);
    const before = writesTo(to);
    const again = await program.migrate("--on-conflict", "overwrite");
    expect(again).toMatchObject({ exitCode: 0 });
    expect(writesTo(to)).toBe(before);
  }, 60_000);
});

describe("the check of exchanges against the description (test/support/exchange-check.ts)", () => {
  test("covers every route of the sandbox, pipes included", async () => {
    await using sandbox = await startSandbox({ variant: "managed", seed: "sample" });
    const cwd = temporaryFolder();
    const run = await runCli(["export", "--from", sandbox.stack, "--out", "a.zip"], { env: sandboxEnv(sandbox), cwd });
    expect(run.exitCode).toBe(0);
    // Besides the lists, the export reads one record of each kind singly.
    expect(Object.keys(sandbox.stats().byRoute).filter((route) => !route.endsWith("{id}"))).toHaveLength(6);
  });

  test("reports each member that is not as described, and a route that does not exist", async () => {
    const exchange = { route: "POST alerts", sent: { name: "A", threshold: "1", channels: [] }, status: 200 };
    const answered = JSON.stringify({ status: 200, requestId: randomUUID(), result: { id: 1 } });
    expect(disagreementsOf({ ...exchange, answered })).toEqual([
      "sent POST alerts /threshold: is string, not number",
      "answered POST alerts /result/id: is integer, not string",
    ]);
    expect(disagreementsOf({ route: "GET roles", status: 200, answered })).toEqual(["GET roles: no such route"]);
  });
});

/** Returns a text for each member that differs: kind, name and place. */
function differencesIn(changes: readonly Change[]): string[] {
  const changed = changes.filter(({ change }) => change === "changed");
  const places = changed.flatMap(({ kind, name, members }) =>
    members.map(({ pointer }) => `${kind} "${name}" ${placeOf(pointer)}`),
  );
  return [...new Set(places)].toSorted();
}

/** Returns the same texts for the members that a run's warnings call lost, without those of records that were not written. */
function lossesNamedIn(
  warnings: Document["warnings"],
  refused: readonly { readonly kind: string; readonly name: string }[],
): string[] {
  const LOSSES = ["left-out", "not-stored"];
  const places = warnings
    .filter(({ code }) => LOSSES.includes(code))
    .map(({ message, pointer }) => {
      const [, noun, name] = /the (\w+) "([^"]+)"/.exec(message) ?? [];
      // A comparison shows the first channel as one of all channels.
      return `${noun}s "${name}" ${placeOf(pointer).replace("/channel/", "/channels/N/")}`;
    });
  const gone = refused.map(({ kind, name }) => `${kind} "${name}" `);
  return [...new Set(places)].filter((place) => !gone.some((start) => place.startsWith(start))).toSorted();
}

function placeOf(pointer = ""): string {
  return pointer.replaceAll(/\/\d+(?=\/|$)/g, "/N");
}

type Marks = Set<string>;

/** Returns the marks of a shape: each member, each branch of a union, and each word of an enumeration. */
function marksOf(shape: Shape, at: string, marks: Marks = new Set()): Marks {
  if (shape.$ref !== undefined) {
    if (marks.has(`${shape.$ref}!`)) return marks;
    marks.add(`${shape.$ref}!`);
    return marksOf(shapeNamed(shape.$ref), shape.$ref, marks);
  }
  for (const [index, branch] of (shape.anyOf ?? []).entries()) {
    marks.add(branchMark(at, branch, index));
    marksOf(branch, `${at}|${index}`, marks);
  }
  for (const word of shape.enum ?? []) marks.add(`${at} = ${word}`);
  for (const [member, inner] of Object.entries(shape.properties ?? {})) {
    marks.add(`${at}.${member}`);
    marksOf(inner, `${at}.${member}`, marks);
  }
  if (shape.items !== undefined) marksOf(shape.items, `${at}[]`, marks);
  return marks;
}

/** Adds to `marks` the marks of a shape that occur in a value. */
function markValue(shape: Shape, value: unknown, at: string, marks: Marks): void {
  if (shape.$ref !== undefined) {
    marks.add(`${shape.$ref}!`);
    return markValue(shapeNamed(shape.$ref), value, shape.$ref, marks);
  }
  for (const [index, branch] of (shape.anyOf ?? []).entries()) {
    if (!fits(branch, value)) continue;
    marks.add(branchMark(at, branch, index));
    markValue(branch, value, `${at}|${index}`, marks);
  }
  if (shape.enum !== undefined) marks.add(`${at} = ${String(value)}`);
  if (Array.isArray(value)) for (const item of value) markValue(shape.items ?? {}, item, `${at}[]`, marks);
  else if (typeof value === "object" && value !== null) {
    for (const [member, inner] of Object.entries(shape.properties ?? {})) {
      const content = (value as Readonly<Record<string, unknown>>)[member];
      if (content === undefined) continue;
      marks.add(`${at}.${member}`);
      markValue(inner, content, `${at}.${member}`, marks);
    }
  }
}

/** Returns whether a value has this shape. Ignores `level`, which servers send as a number, unlike the description. */
function fits(branch: Shape, value: unknown): boolean {
  return disagreements(branch, value).every((each) => each.includes("/level:"));
}

function branchMark(at: string, { $ref }: Shape, index: number): string {
  return `${at} is ${$ref ?? index}`;
}

type Body = Readonly<Record<string, unknown>>;

/** Recordings of a source of each kind, with every member that a server has shown. */
const FULL_SOURCES = [351, 353, 355, 357];

/**
 * Returns a self-hosted stack with the sample's records, and with all members of sources, tiles and filters that only
 * self-hosted stacks have.
 */
async function everythingSelfHosted(): Promise<SandboxSeed> {
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const { sources, dashboards, ...rest } = sandbox.stored();
  const [log] = sources;
  const { id: logs = "", connection } = { ...log };
  const full = FULL_SOURCES.map((number, index) => ({
    ...recordedSource(number, logs),
    name: `Full ${index}`,
    connection,
  }));
  const tile = (config: Body, index: number) => ({
    id: hex(0xf00 + index),
    name: `Tile ${index}`,
    x: 0,
    y: index,
    w: 6,
    h: 3,
    config: { sourceId: logs, ...config },
  });
  const select = [{ aggFn: "count", valueExpression: "" }];
  const more = {
    id: hex(0xe00),
    name: "What only such a stack shows",
    tags: [],
    tiles: [
      { displayType: "line", select, seriesLimit: 5 },
      { displayType: "stacked_bar", select, seriesLimit: 5 },
      { displayType: "number", select, groupBy: "ServiceName" },
    ].map(tile),
    filters: [
      {
        type: "QUERY_EXPRESSION",
        id: hex(0xd00),
        name: "Service",
        expression: "ServiceName",
        sourceId: logs,
        isVariableEnabled: true,
      },
    ],
    savedFilterValues: [],
  };
  return { ...rest, sources: [...sources, ...full], dashboards: [...dashboards, more] };
}

/** Returns a recorded source whose links lead to the log source of the sample. */
function recordedSource(number: number, logs: string): Body & { readonly id: string } {
  const { data } = recordedExchange(number).response.body as { readonly data: Body & { readonly id: string } };
  const links = Object.keys(data).filter((member) => member.endsWith("SourceId"));
  return { ...data, ...Object.fromEntries(links.map((member) => [member, logs])) };
}

function hex(number: number): string {
  return number.toString(16).padStart(24, "0");
}
