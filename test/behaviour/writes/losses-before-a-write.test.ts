import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox, type SandboxOptions } from "../../support/start-sandbox.ts";
import { callSandbox } from "../../support/read-sandbox.ts";
import { changeOn, recordsOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeOf,
  bodiesSentTo,
  outcomeLines,
  writesOn,
  type JsonObject,
} from "../../support/import-stage.ts";
import type { MemoryStack } from "../../support/memory-stack.ts";
import { documentOf, runCli, type CliRun, type RunCliOptions } from "../../support/run-cli.ts";
import { sandboxEnv } from "../../support/program.ts";
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
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { access, mkdir, rm, writeFile } from "node:fs/promises";
import {
  emptySeed,
  programAfterImport,
  passThrough,
  outcomesOf,
  programWithArchive,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { logs, usualTarget } from "../../support/import-samples.ts";
import { EventEmitter } from "node:events";

type Outcome = Readonly<Record<"kind" | "action" | "code", string>>;

const LOSSES = ["left-out", "not-stored"];
const LOGS = hexId("a", 1);
const connections = [{ id: hexId("c", 1), name: "Main", host: "http://db:8123", username: "reader" }];

/**
 * Starts a source of a newer release, whose dashboards have the member `mood`, and a target with the options `to`, which
 * refuses or drops this member.
 * @param there members of the dashboard that the target has already; undefined if it has none
 */
async function pair(to: Partial<SandboxOptions>, there?: JsonObject) {
  const seed = { connections, sources: [source(LOGS, "Logs", hexId("c", 1))] };
  const board = dashboard(hexId("a", 16), "Board", LOGS, { tags: [] });
  const present = there === undefined ? {} : { dashboards: [{ ...board, ...there }] };
  const intercept: SandboxOptions["intercept"] = async ({ route }, proceed) => {
    const answer = await proceed();
    if (!route.startsWith("GET dashboards") || answer === undefined || answer.status !== 200) return answer;
    const text = (await answer.text()).replaceAll('"displayType":', '"mood":"calm","displayType":');
    return new Response(text, { status: 200, headers: { "content-type": "application/json" } });
  };
  const from = await startSandbox({ variant: "self-hosted", seed: { ...seed, dashboards: [board] }, intercept });
  const ids = to.variant === "managed" ? ({ ids: "hex" } as const) : {};
  const { connections: _managed, ...listed } = seed;
  const targetSeed = { ...(to.variant === "managed" ? listed : seed), ...present };
  const target = await startSandbox({ variant: "self-hosted", ...ids, seed: targetSeed, ...to });
  const words = ["migrate", "--from", from.stack, "--to", target.stack, "--json"];
  return {
    run: async (...flags: readonly string[]) => {
      const document = documentOf(await runCli([...words, ...flags], { env: sandboxEnv(from, target) }));
      const warnings = document["warnings"] as readonly { code: string; pointer?: string }[];
      return {
        exitCode: document["exitCode"],
        losses: warnings.filter(({ code }) => LOSSES.includes(code)),
        outcomes: (document["outcomes"] as readonly Outcome[]).filter(({ kind }) => kind === "dashboards"),
      };
    },
    dashboards: () => target.stored().dashboards,
    async [Symbol.asyncDispose]() {
      await from.close();
      await target.close();
    },
  };
}

describe.each([
  ["refuses by name", { variant: "managed", strict: true }, "left-out"],
  ["drops without a word", { variant: "managed" }, "not-stored"],
] as const)("a member that a managed target %s", (_, to, code) => {
  it("is told by a dry run as by the run", async () => {
    await using stacks = await pair(to);
    const dry = await stacks.run("--dry-run");
    expect(dry).toMatchObject({ exitCode: 0, losses: [{ code, pointer: "/tiles/0/config/mood" }] });
    expect(stacks.dashboards()).toEqual([]);
    const run = await stacks.run("--yes");
    expect(run.losses).toEqual(dry.losses);
    expect(stacks.dashboards()).toHaveLength(1);
  });
});

describe.each([
  ["a managed one refuses by name", { variant: "managed", strict: true }, "left-out"],
  ["a managed one drops", { variant: "managed" }, "not-stored"],
  ["a self-hosted one, of an older release than the source, drops", { variant: "self-hosted" }, "not-stored"],
] as const)("an update with a member that the target does not know: %s", (_, to, code) => {
  const update = ["--on-conflict", "overwrite"];
  const pointer = "/tiles/0/config/mood";
  /** Returns the flags for a new journal, so that the run does not see earlier runs. */
  const newJournal = (): string[] => ["--journals", temporaryFolder()];

  it("is told by the run, and not written again by the next", async () => {
    await using stacks = await pair(to, { tags: ["theirs"] });
    const journal = newJournal();
    const run = await stacks.run("--yes", ...update, ...journal);
    expect(run).toMatchObject({ losses: [{ code, pointer }], outcomes: [{ action: "update" }] });
    expect(stacks.dashboards()).toMatchObject([{ tags: [] }]);
    for (const flags of [["--dry-run"], ["--yes"]]) {
      const again = await stacks.run(...flags, ...update, ...journal);
      expect(again).toMatchObject({ exitCode: 0, losses: [], outcomes: [{ action: "unchanged" }] });
    }
  });

  it("is named again by a run without the journal", async () => {
    await using stacks = await pair(to, { tags: ["theirs"] });
    await stacks.run("--yes", ...update, ...newJournal());
    const again = await stacks.run("--yes", ...update, ...newJournal());
    expect(again).toMatchObject({ exitCode: 0, losses: [{ code, pointer }] });
  });
});

it("a dry run onto a target that keeps everything tells of no loss", async () => {
  await using program = await programWithArchive();
  expect(documentOf(await program.run(program.migration("--dry-run")))).toMatchObject({ exitCode: 0, warnings: [] });
});

it("a member that the target drops is written once by apply with the state of a configuration", async () => {
  const cwd = temporaryFolder();
  const board = dashboard(hexId("a", 16), "Board", archiveIds.source, { tags: ["old"] });
  const seed = { sources: [logs], dashboards: [board] };
  await using sandbox = await startSandbox({ variant: "self-hosted", seed });
  const config = { stacks: { lab: { variant: "self-hosted", baseUrl: sandbox.stack, apiKey: sandbox.apiKey } } };
  await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify(config));
  await mkdir(join(cwd, "stack/dashboards"), { recursive: true });
  const tile = "{name: Notes, x: 0, y: 0, w: 6, h: 3, config: {displayType: markdown, markdown: Hi, mood: calm}}";
  await writeFile(join(cwd, "stack/dashboards/board.yaml"), `name: Board\ntags: [new]\ntiles:\n  - ${tile}\n`);
  const writes = () => sandbox.stats().byRoute["PUT dashboards/{id}"] ?? 0;
  const apply = async () => documentOf(await runCli(["apply", "stack", "--to", "lab", "--yes", "--json"], { cwd }));
  const warnings = expect.arrayContaining([expect.objectContaining({ code: "not-stored" })]);
  expect(await apply()).toMatchObject({ counts: { update: 1 }, warnings });
  expect(writes()).toBe(1);
  expect(await apply()).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
  expect(writes()).toBe(1);
});

describe("a folder of files that an export did not finish", () => {
  it("is refused by apply and diff until an export has written the missing files", async () => {
    await using program = await programWithArchive();
    await writeFile(join(program.cwd, "stackferry.yaml"), "stacks: {}\n");
    await mkdir(join(program.cwd, "files"));
    // A file where the export needs a folder stops the export as a full disk would.
    const obstacle = join(program.cwd, "files/alerts");
    await writeFile(obstacle, "");
    const exported = async (...more: string[]) =>
      documentOf(
        await program.run(["export", "--from", program.from.stack, "--format", "code", "--out", "files", ...more]),
      );
    expect(await exported()).toMatchObject({ exitCode: 1, error: { code: "archive-io" } });
    await access(join(program.cwd, "files/dashboards/one.yaml"));
    await rm(obstacle);
    const refused = { exitCode: 2, error: { code: "config", message: expect.stringContaining("half-written") } };
    expect(documentOf(await program.apply("--mirror", "--yes"))).toMatchObject(refused);
    expect(documentOf(await program.run(["diff", "files/dashboards", program.to.stack]))).toMatchObject(refused);
    // An export of one record does not complete the half-written folder.
    expect(await exported("--include", "One", "--kinds", "dashboards")).toMatchObject({ exitCode: 0 });
    expect(documentOf(await program.apply("--dry-run"))).toMatchObject(refused);
    expect(await exported()).toMatchObject({ exitCode: 0 });
    expect(documentOf(await program.apply("--dry-run"))).toMatchObject({ exitCode: 0, counts: { create: 5 } });
  });
});

const three = dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["theirs"] });
const theirs = alert(hexId("b", 40), "Theirs", three, targetIds.webhook);

it("what a stopped run has lost and could not look for is looked for by the next, which has nothing to write", async () => {
  await using program = await programWithArchive({ ...emptySeed("b"), dashboards: [three], alerts: [theirs] });
  const update = ["import", "a.zip", "--to", program.to.stack, "--include", "Three", "--kinds", "dashboards"];
  const run = (options?: RunCliOptions): Promise<CliRun> =>
    program.run([...update, "--on-conflict", "overwrite"], options);
  const signals = new EventEmitter();
  let isStopped = false;
  program.watch = async ({ route }, proceed) => {
    if (isStopped && route === "GET alerts") return new Response('{"message":"no"}', { status: 401 });
    const answer = await proceed();
    if (route === "PUT dashboards/{id}") {
      await callSandbox(program.to, "DELETE", `alerts/${hexId("b", 40)}`);
      isStopped = true;
      signals.emit("signal", "SIGINT");
    }
    return answer;
  };
  const stopped = await run({ signals });
  expect(stopped.exitCode, stopped.stdout).toBe(130);
  // A sentence of its own in the hint names the journal.
  expect(documentOf(stopped)["error"]).toMatchObject({ hint: expect.stringMatching(/\w\. \w.*\.journal\b/) });
  program.watch = passThrough;
  const next = await run();
  expect(documentOf(next)).toMatchObject({ exitCode: 3, counts: { unchanged: 1, failed: 1 } });
  expect(outcomesOf(next)).toContainEqual(
    expect.objectContaining({ name: "Theirs", status: "failed", code: "cascade-loss" }),
  );
  expect((await run()).exitCode).toBe(0);
});

describe("the result of a run that overwrites", () => {
  /** Changes two imported records on the target, and runs a command that overwrites them. */
  async function overwrite(program: ProgramWithArchive, command: string): Promise<CliRun> {
    await changeOn(program.to, "dashboards", { tags: ["theirs"] }, "Three");
    await changeOn(program.to, "alerts", { threshold: 99 }, "Busy");
    const words = command.replace("FROM", program.from.stack).split(" ");
    const run = await runCli([...words, "--to", program.to.stack, "--on-conflict", "overwrite"], program);
    expect(run.exitCode, run.stdout + run.stderr).toBe(0);
    return run;
  }

  it("names every record that it has overwritten, and whose record took its place", async () => {
    await using program = await programAfterImport();
    await program.writeFiles();
    for (const [command, from] of [
      ["import a.zip", "a.zip (http"],
      ["migrate --from FROM", "http://"],
      ["apply files", "files (files) → "],
    ] as const) {
      const { stdout } = await overwrite(program, command);
      expect(stdout.startsWith(from)).toBe(true);
      expect(stdout).toMatch(/~ updated [^]*Three[^]*Busy/);
    }
  });

  it("has each of them with its id under --json", async () => {
    await using program = await programAfterImport();
    const run = await overwrite(program, "import a.zip --json");
    const written = outcomesOf(run).filter(({ action, status }) => action === "update" && status === "done");
    expect(outcomeLines(written, "kind", "name")).toEqual(["dashboards Three", "alerts Busy"]);
    expect(written.every(({ targetId }) => targetId !== undefined)).toBe(true);
  });
});

it("nothing is said of records that are new or as they were", async () => {
  await using program = await programWithArchive();
  const args = ["import", "a.zip", "--to", program.to.stack, "--on-conflict", "overwrite"];
  for (let run = 1; run <= 2; run += 1) {
    const { stdout } = await runCli(args, { env: program.env, cwd: program.cwd });
    expect(stdout).not.toContain("overwritten");
  }
});

const ours = dashboard(hexId("a", 16), "Overview", archiveIds.source);

describe("an alert of two channels onto a self-hosted stack", () => {
  const theirs = dashboard(hexId("b", 16), "Overview", targetIds.source);
  const hooks = (letter: "a" | "b"): JsonObject[] =>
    [2, 3].map((number) => webhook(hexId(letter, number), `hook ${number}`));
  const channels = [2, 3].map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
  const archive = records({
    dashboards: [ours],
    alerts: [alert(hexId("a", 32), "Both", ours, archiveIds.webhook, { channels })],
    sources: [logs],
    webhooks: hooks("a"),
  });
  const target = (alerts: JsonObject[]): MemoryStack =>
    usualTarget({ dashboards: [theirs], alerts, webhooks: hooks("b") });
  const other = alert(hexId("b", 40), "Other", theirs, targetIds.webhook);
  /** Returns the alert as a stack of an older release shows it. */
  const asOlderStack = ({ channels: _channels, ...shown }: JsonObject): JsonObject => shown;
  const both = alert(hexId("b", 32), "Both", theirs, targetIds.webhook, { threshold: 4 });

  it.each([
    ["a create", [asOlderStack(other)]],
    ["an update", [asOlderStack(other), asOlderStack(both)]],
  ])("is blocked where no alert there shows more than a channel: %s", async (_, alerts) => {
    const stack = target(alerts);
    const run = await importStage(stack).run(archive, { onConflict: "overwrite" });
    expect(outcomeOf(run, "Both")).toMatchObject({ action: "blocked", code: "several-channels" });
    expect(outcomeOf(run, "Both")?.message).toContain("hook 3");
    expect([writesOn(stack), run.exitCode]).toEqual([[], 3]);
  });

  it.each([
    ["an alert there shows its channels", [other]],
    ["none is there to tell", []],
  ])("is written whole where %s", async (_, alerts) => {
    const stack = target(alerts);
    const run = await importStage(stack).run(archive);
    expect(outcomeOf(run, "Both")).toMatchObject({ action: "create", status: "done" });
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ channels: [{}, {}] }]);
  });

  it("has failed where the stack keeps one channel alone", async () => {
    const stack = target([]);
    stack.replaceStored = (_, { channels: _dropped, ...kept }) => kept;
    const run = await importStage(stack).run(archive);
    expect(outcomeOf(run, "Both")).toMatchObject({ action: "create", status: "failed", code: "not-stored" });
    expect(run.warnings).toContainEqual(expect.objectContaining({ code: "not-stored", pointer: "/channels" }));
    expect(run.exitCode).toBe(3);
    expect(recordsOn(stack, "alerts")).toHaveLength(1);
  });
});

it.each([
  ["create", []],
  ["update", [dashboard(hexId("b", 16), "Overview", targetIds.source)]],
] as const)("a dashboard of which the stack drops a condition has failed: %s", async (action, dashboards) => {
  const select = [{ aggFn: "count", where: "level:error", whereLanguage: "lucene" }];
  const config = { displayType: "line", sourceId: archiveIds.source, fillNulls: true, select };
  const tiles = [tileWith(hexId("d", 1), "Requests", config)];
  const stack = usualTarget({ dashboards });
  stack.replaceStored = (_, body) =>
    JSON.parse(JSON.stringify(body).replace('"where":"level:error",', "")) as JsonObject;
  const archive = records({ dashboards: [{ ...ours, tiles }], sources: [logs] });
  const run = await importStage(stack).run(archive, { onConflict: "overwrite" });
  expect(outcomeOf(run, "Overview")).toMatchObject({ action, status: "failed", code: "not-stored" });
  expect(run.exitCode).toBe(3);
});
