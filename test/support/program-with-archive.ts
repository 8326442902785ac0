import { readFileSync, readdirSync } from "node:fs";
import { chmod, cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type { InterceptedRequest, SandboxOptions, SandboxSeed } from "../../src/sandbox/start-sandbox.ts";
import { ignoreUsedPort, keepPreparedState, preparedState } from "./prepared-state.ts";
import { documentOf, runCli, type CliRun, type RunCliOptions } from "./run-cli.ts";
import { programForTwoStacks, type ProgramForTwoStacks } from "./program.ts";
import { alert, dashboard, hexId, source, webhook } from "./stack-records.ts";

/** Sees a request before the stack. If it returns a response, this is sent instead of the stack's response. */
export type Watch = (
  request: InterceptedRequest,
  proceed: () => Promise<Response>,
) => Promise<Response | undefined> | Response | undefined;

/** The outcome of a record, as a run reports it. */
export interface ReportedOutcome {
  readonly kind: string;
  readonly name: string;
  readonly action: string;
  readonly status: string;
  readonly code?: string;
  readonly targetId?: string;
}

/** An archive of five records, a target that has none of them, and the program. */
export interface ProgramWithArchive extends Omit<ProgramForTwoStacks, "run"> {
  /** Sees the requests to the target. */
  watch: Watch;
  /** Runs a command with `--json`. */
  run(args: readonly string[], options?: RunCliOptions): Promise<CliRun>;
  /** Imports the archive `a.zip`. */
  import(...more: string[]): Promise<CliRun>;
  /** Returns the arguments of a migration from the source to the target. */
  migration(...more: string[]): string[];
  /** Exports the source as code into the folder `files`, and writes a configuration file, so that runs keep a state. */
  writeFiles(): Promise<void>;
  /** Applies the folder `files`. */
  readonly apply: (...more: string[]) => Promise<CliRun>;
  /** Rolls back the last import, or the run that `--run` names. */
  rollback(...more: string[]): Promise<CliRun>;
  /** Reads the entries of the journal. Returns an empty list if there is no file yet. It is synchronous, for use inside a request. */
  entries(): JsonObject[];
}

/** Returns two dashboards that link to each other, one without a link, and two alerts: an import makes 5 creates and a link. */
function smallSeed(letter: "a" | "b" = "a"): Required<Pick<SandboxSeed, "dashboards" | "alerts">> & SandboxSeed {
  const logs = hexId(letter, 1);
  const one = linkedDashboard(letter, 16, "One", 17);
  const two = linkedDashboard(letter, 17, "Two", 16);
  const three = dashboard(hexId(letter, 18), "Three", logs, { tags: ["kept"] });
  const hook = hexId(letter, 2);
  return {
    ...emptySeed(letter),
    dashboards: [one, two, three],
    alerts: [alert(hexId(letter, 32), "Busy", one, hook), alert(hexId(letter, 33), "Quiet", three, hook)],
  };
}

/** Returns a stack that has only the records that the small stack's dashboards and alerts reference. */
export function emptySeed(letter: "a" | "b"): SandboxSeed {
  return {
    sources: [source(hexId(letter, 1), "Logs", hexId(letter, 8))],
    webhooks: [webhook(hexId(letter, 2), "pager")],
    connections: [{ id: hexId(letter, 8), name: "Main", host: "http://db:8123", username: "reader" }],
  };
}

function linkedDashboard(letter: "a" | "b", number: number, name: string, to: number): JsonObject {
  const onClick = { type: "dashboard", target: { mode: "id", id: hexId(letter, to) }, whereLanguage: "sql" };
  const [sourceId, select] = [hexId(letter, 1), [{ aggFn: "count", whereLanguage: "lucene" }]];
  const tile = (of: number, called: string, y: number, config: JsonObject): JsonObject => ({
    id: hexId(letter === "a" ? "c" : "d", of),
    name: called,
    x: 0,
    y,
    w: 6,
    h: 3,
    config,
  });
  // The alert is on the first tile, because a table cannot have an alert.
  const tiles = [
    tile(number, `Tile of ${name}`, 0, { displayType: "line", sourceId, fillNulls: true, select }),
    tile(number + 100, `Links of ${name}`, 3, { displayType: "table", sourceId, select, onClick }),
  ];
  return dashboard(hexId(letter, number), name, hexId(letter, 1), { tiles, tags: ["kept"] });
}

/** Sets up the program. @param seed the records of the target */
export function programWithArchive(seed: SandboxSeed = emptySeed("b")): Promise<ProgramWithArchive> {
  return preparedProgram(`archive ${JSON.stringify(seed)}`, async () => {
    const program = await startProgram({ seed: smallSeed() }, { seed });
    const exported = await program.run(["export", "--from", program.from.stack, "--out", "a.zip"]);
    if (exported.exitCode !== 0) throw new Error(`the export failed: ${exported.stderr}`);
    return program;
  });
}

/** Sets up the program, and imports the archive. */
export function programAfterImport(seed?: SandboxSeed, ...more: string[]): Promise<ProgramWithArchive> {
  return preparedProgram(`import ${JSON.stringify([seed, more])}`, async () => {
    const program = await programWithArchive(seed);
    const { exitCode, stdout } = await program.import(...more);
    expect(exitCode, stdout).toBe(0);
    return program;
  });
}

/** Sets up the program, and migrates the source to the target. */
export function programAfterMigration(): Promise<ProgramWithArchive> {
  return preparedProgram("migrate", async () => {
    const program = await programWithArchive();
    const { exitCode, stdout } = await program.run(program.migration());
    expect(exitCode, stdout).toBe(0);
    return program;
  });
}

/** Prepares a program, or continues from what an equal one of the same test file had after its preparation. */
export async function preparedProgram(
  key: string,
  prepare: () => Promise<ProgramWithArchive>,
): Promise<ProgramWithArchive> {
  const state = preparedState(key);
  const again = state && (await startProgram(state.from, state.to).catch(ignoreUsedPort));
  if (state && again) {
    await cp(state.folder, again.cwd, { recursive: true });
    return again;
  }
  const program = await prepare();
  if (state === undefined) await keepPreparedState(key, program);
  return program;
}

type Start = Pick<SandboxOptions, "port" | "seed">;

async function startProgram(source: Start, target: Start): Promise<ProgramWithArchive> {
  const stacks = await programForTwoStacks(
    { variant: "self-hosted", ...source },
    { variant: "self-hosted", ...target, intercept: (request, proceed) => program.watch(request, proceed) },
  );
  const { from, to, cwd, env } = stacks;
  const run: ProgramWithArchive["run"] = (args, options = {}) =>
    runCli([...args, "--json"], { cwd, ...options, env: { ...env, ...options.env } });
  const onto = ["--to", to.stack];
  const parsed = (text: string): JsonObject[] =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as JsonObject);
  const program: ProgramWithArchive = {
    ...stacks,
    watch: passThrough,
    run,
    import: (...more) => run(["import", "a.zip", ...onto, ...more]),
    migration: (...more) => ["migrate", "--from", from.stack, ...onto, ...more],
    writeFiles: async () => {
      await writeFile(join(cwd, "stackferry.yaml"), "stacks: {}\n");
      // The journal of the bench is the one of its target.
      const code = ["--format", "code", "--out", "files", "--journals", "journals-of-the-source"];
      const written = await run(["export", "--from", from.stack, ...code]);
      if (written.exitCode !== 0) throw new Error(`the export of files failed: ${written.stderr}`);
    },
    apply: (...more) => run(["apply", "files", ...onto, ...more]),
    rollback: (...more) => {
      const isChosen = ["--run", "--list", "--dry-run"].some((flag) => more.includes(flag));
      return run(["rollback", ...onto, ...(isChosen ? [] : ["--run", String(lastRunIn(program.entries()))]), ...more]);
    },
    entries: () => {
      const [path] = journalsIn(cwd);
      return path === undefined ? [] : parsed(readFileSync(path, "utf8"));
    },
  };
  return program;
}

/** Returns the paths of the journals in a working directory. */
export function journalsIn(cwd: string): string[] {
  const folder = join(cwd, ".stackferry");
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".journal"));
    return names.toSorted().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Returns the number of the last import in a journal. */
function lastRunIn(entries: readonly JsonObject[]): number {
  const imports = entries.filter(({ type, undoes }) => type === "begin" && undoes === undefined);
  return Number(imports.at(-1)?.["run"] ?? 1);
}

/** Returns the path of the lock that a run of the program takes on the target. */
export function lockFileOf({ cwd, to }: Pick<ProgramWithArchive, "cwd" | "to">): string {
  return join(cwd, ".stackferry", `${new URL(to.url).host.replace(":", "-")}.lock`);
}

/** Records the writes that the target receives from now on. */
export function watchWrites(program: ProgramWithArchive): string[] {
  const writes: string[] = [];
  program.watch = (request, proceed) => {
    if (isWrite(request)) writes.push(request.route);
    return proceed();
  };
  return writes;
}

/** Makes the target refuse these requests. @param only the number of the only request that is refused */
export function refuseRoute(program: ProgramWithArchive, route: string, status: number, only?: number): void {
  program.watch = (request, proceed) =>
    request.route === route && (only === undefined || request.routeCount === only)
      ? Response.json({ message: "no" }, { status })
      : proceed();
}

/** Passes every request to the target. */
export const passThrough: Watch = (_, proceed) => proceed();

/** Returns a sorted line per outcome: name, action, and status and code if present. */
export function outcomeLinesOf(run: CliRun): string[] {
  return outcomesOf(run)
    .map(({ name, action, status, code }) => [name, action, status, code].filter(Boolean).join(" "))
    .toSorted();
}

/** Returns the codes of a run's warnings. */
export function warningCodes(run: CliRun): string[] {
  return (documentOf(run)["warnings"] as { code: string }[]).map(({ code }) => code);
}

/** Sets up the program, and exports the source as code. */
export function programWithFiles(): Promise<ProgramWithArchive> {
  return preparedProgram("files", async () => {
    const program = await programWithArchive();
    await program.writeFiles();
    return program;
  });
}

/** Sets up the program, exports the source as code, and applies the files once. */
export function programAfterApply(): Promise<ProgramWithArchive> {
  return preparedProgram("apply", async () => {
    const program = await programWithFiles();
    const { exitCode, stdout } = await program.apply();
    expect(exitCode, stdout).toBe(0);
    return program;
  });
}

/** Replaces a text in one of the applied files. */
export async function editFile(
  { cwd }: ProgramWithArchive,
  file: string,
  from: string | RegExp,
  to: string,
): Promise<void> {
  const path = join(cwd, "files", file);
  await writeFile(path, (await readFile(path, "utf8")).replace(from, to));
}

/** Returns the outcomes of a run. */
export function outcomesOf(run: CliRun): ReportedOutcome[] {
  return documentOf(run)["outcomes"] as ReportedOutcome[];
}

/** Tells whether a request writes. */
export function isWrite({ method }: Pick<InterceptedRequest, "method">): boolean {
  return method !== "GET";
}

/** Replaces the text of the program's journal, as its owner could. */
export async function editJournal(
  { cwd }: Pick<ProgramWithArchive, "cwd">,
  edit: (text: string) => string,
): Promise<void> {
  const [path = ""] = journalsIn(cwd);
  await writeFile(path, edit(await readFile(path, "utf8")));
  await chmod(path, 0o600);
}
