import { expect, it } from "vitest";
import { changeOn, recordsOn } from "../support/on-stack.ts";
import { followAfterKill, writesToFollow, EARLIER } from "../support/killed-mirror.ts";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { createKiller, type RequestKill } from "../chaos/kill-at-request.ts";
import { runProgram } from "../chaos/run-program.ts";
import { documentOf, runCli, stateHome } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { sameStack } from "../support/same-stack.ts";
import { emptySeed } from "../support/program-with-archive.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("a mirror that was killed at any write, before it or after it, is finished by the next run", async () => {
  const writes = await writesToFollow();
  expect(writes).toBe(35);
  for (let kill = 1; kill <= writes; kill += 1) {
    await followAfterKill("intercept", kill);
    await followAfterKill("interceptAfter", kill);
  }
});

it("a killed apply --mirror of the built program is finished by the next run, whichever write was cut", async () => {
  const folder = await movedFolder();
  const whole = await applyKilled(folder);
  expect(whole.sent).toBe(35);
  expect(whole.end).toMatchObject({ writes: 0 });
  for (let request = 1; request <= whole.sent; request += 1) {
    for (const moment of ["before", "stored"] as const) {
      const { end } = await applyKilled(folder, { moment, request, afterMs: 0 });
      expect(end, `${moment} write ${request}`).toEqual(whole.end);
    }
  }
});

/** A stack's records when all runs have ended. */
interface End {
  readonly dashboards: readonly unknown[];
  readonly alerts: readonly unknown[];
  /** Number of writes of a further run, which must be 0. */
  readonly writes: number;
  /** Records that a further run would leave alone, with the reason. */
  readonly leftAlone: unknown;
}

/** A folder of files that was applied, and has changed since; its journal; and the stack with the edits that users have made. */
interface MovedFolder {
  readonly template: string;
  /** The options that start the stack, so that each attempt begins with the same records. */
  readonly stack: SandboxOptions;
  /** Ids of the dashboards before the files changed. */
  readonly ids: ReadonlySet<string>;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

/**
 * Applies forty dashboards, edits five records on the stack, and then changes the files: renames twenty dashboards, deletes
 * ten, changes one and adds one.
 */
async function movedFolder(): Promise<MovedFolder> {
  const template = temporaryFolder();
  const bodies = (kind: string) => EARLIER.flatMap((record) => (record.kind === kind ? [record.body] : []));
  const { sources = [], webhooks = [] } = emptySeed("b");
  const hooks = webhooks.map((hook) => ({ ...(hook as object), name: "oncall" }));
  await writeFile(join(template, "stackferry.yaml"), "stacks: {}\n");
  {
    const kinds = ["dashboards", "alerts", "sources", "webhooks"].map((kind) => [kind, bodies(kind)]);
    await using from = await startSandbox({ variant: "self-hosted", seed: Object.fromEntries(kinds) as object });
    await runIn(template, from, ["export", "--from", from.stack, "--format", "code", "--out", "files"]);
  }
  for (const kind of ["sources", "webhooks"]) await rm(join(template, "files", kind), { recursive: true });
  await using to = await startSandbox({
    variant: "self-hosted",
    seed: { sources, webhooks: hooks },
  });
  await runIn(template, to, ["apply", "files", "--to", to.stack]);
  const dashboards = await recordsOn(to, "dashboards");
  // Edit dashboards that the files rename, delete, change and keep unchanged, and an alert that the files delete.
  for (const number of [17, 40, 55, 50]) await changeOn(to, "dashboards", { tags: ["theirs"] }, `Board ${number}`);
  await changeOn(to, "alerts", { threshold: 99 }, "Alert 39");
  await moveOn(join(template, "files"));
  return { template, stack: sameStack(to), ids: new Set(dashboards.map(({ id }) => id)) };
}

async function moveOn(files: string): Promise<void> {
  const edit = async (file: string, from: string | RegExp, to: string, out = file): Promise<void> =>
    writeFile(join(files, out), (await readFile(join(files, file), "utf8")).replace(from, to));
  for (const number of range(16, 36)) {
    await edit(`dashboards/board-${number}.yaml`, `name: Board ${number}`, `name: Renamed ${number}`);
  }
  await edit("alerts/alert-20.yaml", "dashboard: Board 20", "dashboard: Renamed 20");
  await edit("dashboards/board-55.yaml", "name: Board 55", "name: Board 55\ntags:\n  - new");
  await edit("dashboards/board-46.yaml", "name: Board 46", "name: Board 60", "dashboards/board-60.yaml");
  await edit("alerts/alert-46.yaml", /46/g, "60", "alerts/alert-60.yaml");
  for (const number of range(36, 46)) await rm(join(files, `dashboards/board-${number}.yaml`));
  for (const number of range(36, 40)) await rm(join(files, `alerts/alert-${number}.yaml`));
}

async function runIn(cwd: string, stack: Sandbox, args: readonly string[]): Promise<Record<string, unknown>> {
  const run = await runCli([...args, "--json"], {
    cwd,
    env: { ...sandboxEnv(stack), STACKFERRY_CONSISTENCY_WAIT: "100ms" },
  });
  if (run.exitCode !== 0 && run.exitCode !== 3) throw new Error(`${args.join(" ")}: ${run.stdout}${run.stderr}`);
  return documentOf(run);
}

const applyTo = (to: Sandbox): string[] => ["apply", "files", "--to", to.stack, "--mirror", "--max-delete", "20"];

/**
 * Runs `apply --mirror` in a process that is killed at a write, and then runs the same command again.
 * @returns the records at the end, and the number of writes that the killed process has sent
 */
async function applyKilled(folder: MovedFolder, kill?: RequestKill): Promise<Tried> {
  const cwd = temporaryFolder();
  await cp(folder.template, cwd, { recursive: true });
  const tried = await applyIn(cwd, folder, kill);
  await rm(cwd, { recursive: true });
  return tried;
}

interface Tried {
  readonly end: End;
  readonly sent: number;
}

async function applyIn(cwd: string, { stack, ids }: MovedFolder, kill: RequestKill | undefined): Promise<Tried> {
  const killer = createKiller(({ method, route }) => method !== "GET" && !route.endsWith("/validate"));
  const { intercept } = killer;
  killer.aim(kill);
  await using to = await startSandbox({ ...stack, intercept });
  const wait = { STACKFERRY_CONSISTENCY_WAIT: "100ms" };
  const env = { ...sandboxEnv(to), ...wait, XDG_STATE_HOME: stateHome() };
  const first = await runProgram(applyTo(to), env, cwd, killer.signal);
  const sent = killer.seen();
  killer.aim(undefined);
  if (kill === undefined ? first.exitCode === null : first.exitCode !== null) throw new Error(first.stderr);
  if (kill !== undefined) await runIn(cwd, to, applyTo(to));
  return { end: await endOf(cwd, to, ids), sent };
}

async function endOf(cwd: string, to: Sandbox, ids: MovedFolder["ids"]): Promise<End> {
  const dashboards = await recordsOn(to, "dashboards");
  const names = new Map(dashboards.map(({ id, name }) => [id, name]));
  const sorted = (lines: readonly unknown[]): unknown[] => lines.toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
  const further = await runIn(cwd, to, [...applyTo(to), "--dry-run"]);
  const { counts, leftAlone } = further as { counts: Record<string, number>; leftAlone: { name: string }[] };
  const { create = 0, update = 0, delete: deletes = 0 } = counts;
  return {
    dashboards: sorted(dashboards.map(({ id, name, tags }) => [name, String(tags), ids.has(id) ? id : "new"])),
    alerts: sorted((await recordsOn(to, "alerts")).map((each) => [each.name, names.get(String(each["dashboardId"]))])),
    writes: create + update + deletes,
    leftAlone: sorted(leftAlone.map((each) => JSON.stringify(each))),
  };
}
