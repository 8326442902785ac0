import { expect, it } from "vitest";
import { recordsOn } from "../support/on-stack.ts";
import { callSandbox } from "../support/read-sandbox.ts";
import { seededRandom, type SeededRandom } from "../support/seeded-random.ts";
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createKiller, type RequestKill } from "../chaos/kill-at-request.ts";
import { tearJournal } from "../chaos/tear-journal.ts";
import { runProgram } from "../chaos/run-program.ts";
import { compactJson, type JsonObject } from "../../src/core/json.ts";
import { startFaultySandbox } from "../support/faults/start-faulty-sandbox.ts";
import { sameStack } from "../support/same-stack.ts";
import {
  startSandbox,
  type Sandbox,
  type SandboxOptions,
  type SandboxVariant,
} from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli, stateHome } from "../support/run-cli.ts";

import { sampleMap, sandboxEnv } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SEEDS = 50;
/** Variants that are tested at the same time, because a run waits for lists most of the time. */
const LANES = ["self-hosted", "managed", "self-hosted", "managed"] as const;

it("a rollback of a mirror that was killed anywhere brings everything back once, though lists lag", async () => {
  const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1);
  const lane = async (variant: (typeof LANES)[number]): Promise<void> => {
    const stack = await mirroredStack(variant);
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const kills = drawKills(seededRandom(Math.imul(seed, 0x9e3779b1)), stack);
      const { ends, there, further } = await rollBackKilled(stack, kills, seed);
      const what = `seed ${seed} on ${variant}: ${JSON.stringify(kills)}`;
      expect({ last: ends.at(-1), there, further }, what).toEqual({ last: 0, there: stack.whole, further: {} });
    }
  };
  await Promise.all(LANES.map(lane));
});

/** A stack on which a mirror has deleted dashboards with their alerts. The folder holds the mirror's journal. */
interface MirroredStack {
  readonly template: string;
  /** The options that start the stack as it is after the mirror. */
  readonly stack: SandboxOptions;
  /** The records before the mirror, with names in place of ids. The rollback must restore them all. */
  readonly whole: readonly string[];
  /** How many requests a rollback sends if it is not killed. */
  readonly requests: number;
}

/** The result of a killed rollback. */
interface KilledRollback {
  /** The exit codes of its processes, in order; null for a killed process. */
  readonly ends: readonly (number | null)[];
  /** The stack's records at the end. */
  readonly there: readonly string[];
  /** The plan of a further rollback, which must be empty. */
  readonly further: unknown;
}

/** Longer than a new record is missing from the lists. */
const CONSISTENCY_WAIT_MS = 1200;
const MAX_HIDDEN_MS = 700;
/** A rollback must end within this many runs after the last kill. */
const MAX_RUNS = 3;

/** A dashboard of the sample that has no links. */
const KEPT_DASHBOARD = "Audit trail";

const UNDO = ["rollback", "--run", "2", "--json"];

/** Migrates the sample to a stack, deletes all dashboards but one at the source, and mirrors the deletions. */
async function mirroredStack(variant: SandboxVariant): Promise<MirroredStack> {
  const template = temporaryFolder();
  await using from = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const made = { template, whole: [] as string[], stack: { variant } as SandboxOptions };
  {
    await using to = await startSandbox({ variant, seed: "bare" });
    await writeFile(join(template, "map.yaml"), sampleMap(from, to));
    const env = sandboxEnv(from, to);
    const migrate = async (...more: string[]): Promise<void> => {
      const stacks = ["migrate", "--from", from.stack, "--to", to.stack];
      const args = [...stacks, "--map", "map.yaml", "--create", "saved-searches", "--json", ...more];
      const run = await runCli(args, { env, cwd: template });
      if (run.exitCode !== 0) throw new Error(`${run.exitCode}: ${run.stdout}${run.stderr}`);
    };
    await migrate();
    made.whole = await contentOf(to);
    const deleted = (await recordsOn(from, "dashboards")).filter(({ name }) => name !== KEPT_DASHBOARD);
    for (const { id } of deleted) await callSandbox(from, "DELETE", `dashboards/${id}`);
    await migrate("--mirror", "--max-delete", "30");
    made.stack = sameStack(to);
  }
  const { ends, there, requests } = await rollBackKilled({ ...made, requests: 0 }, []);
  expect(there).toEqual(made.whole);
  expect(ends).toEqual([0]);
  return { ...made, requests };
}

/** A kill. With `tear`, half a line of the journal is lost as well, as in a crash of the machine. */
interface RollbackKill extends RequestKill {
  readonly tear: boolean;
}

function drawKills(random: SeededRandom, { requests }: MirroredStack): RollbackKill[] {
  return Array.from({ length: random.between(1, 2) }, () => ({
    request: random.between(1, requests),
    moment: random.pick(["before", "stored", "answered"]),
    afterMs: random.between(0, 8),
    tear: random.chance(0.3),
  }));
}

/**
 * Rolls back in processes that are killed, then again until a run ends with exit code 0.
 * @param seed decides how long new records are missing from the lists
 */
async function rollBackKilled(
  { template, stack }: MirroredStack,
  kills: readonly RollbackKill[],
  seed = 1,
): Promise<KilledRollback & { readonly requests: number }> {
  const cwd = temporaryFolder();
  await cp(template, cwd, { recursive: true });
  const killer = createKiller();
  const rules = [200, 450, MAX_HIDDEN_MS].map((ms) => ({ fault: "stale-list" as const, ms, rate: 0.5 }));
  const faults = { seed, rules };
  try {
    await using to = await startFaultySandbox({ ...stack, intercept: killer.intercept, faults });
    const wait = { STACKFERRY_CONSISTENCY_WAIT: `${CONSISTENCY_WAIT_MS}ms` };
    const env = { ...sandboxEnv(to), ...wait, XDG_STATE_HOME: stateHome() };
    const undo = [...UNDO, "--to", to.stack];
    const ends: (number | null)[] = [];
    for (const kill of kills) {
      killer.aim(kill);
      const { exitCode } = await runProgram(undo, env, cwd, killer.signal);
      ends.push(exitCode);
      if (exitCode === null && kill.tear) tearJournal(cwd);
    }
    killer.aim(undefined);
    for (let runs = 0; runs < MAX_RUNS && ends.at(-1) !== 0; runs += 1) {
      ends.push((await runCli(undo, { env, cwd })).exitCode);
    }
    const requests = killer.seen();
    const there = await afterLag(to);
    const further = documentOf(await runCli([...undo, "--dry-run"], { env, cwd }));
    return { ends, there, requests, further: further["counts"] };
  } finally {
    await rm(cwd, { recursive: true });
  }
}

async function afterLag(stack: Sandbox): Promise<string[]> {
  await sleep(MAX_HIDDEN_MS);
  return contentOf(stack);
}

/** Returns the dashboards, alerts and saved searches, each as a text with names in place of ids, sorted. Each sandbox has a team. */
async function contentOf(stack: Sandbox): Promise<string[]> {
  const kinds = ["dashboards", "saved-searches", "alerts"];
  const lists = await Promise.all(kinds.map((kind) => recordsOn(stack, kind)));
  const named = lists.flat().flatMap(({ id, name, tiles = [], filters = [] }) => [
    { id, name },
    ...([tiles, filters].flat() as { id?: string; name: string }[]).map((child) => ({
      id: child.id ?? "no id",
      name: `${name}: ${child.name}`,
    })),
  ]);
  const lines = lists.flatMap((records, index) =>
    records.map(
      ({ createdAt: _made, updatedAt: _changed, teamId: _team, ...body }) =>
        `${kinds[index]} ${compactJson(body as JsonObject)}`,
    ),
  );
  return lines.map((line) => named.reduce((text, { id, name }) => text.replaceAll(id, name), line)).toSorted();
}
