import { openArchive } from "../../src/archive/reader.ts";
import { createArchiveWriter } from "../../src/archive/writer.ts";
import type { BackupResult } from "../../src/backup/backup.ts";
import { backupStack } from "../../src/backup/backup.ts";
import type { BackupDependencies } from "../../src/backup/dependencies.ts";
import type { RetentionPolicy } from "../../src/backup/retention.ts";
import { mostKept } from "../../src/backup/retention.ts";
import { localFiles } from "../../src/cli/wiring/backup.ts";
import { StackferryError } from "../../src/core/errors.ts";
import type { Repository } from "../../src/core/ports.ts";
import { sampleHeader } from "../support/archive-samples.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { records, source } from "../support/stack-records.ts";
import type { Misfortune } from "./faulty-repository.ts";
import { KilledError, faultyRepository } from "./faulty-repository.ts";
import { simulatedClock } from "./simulated-clock.ts";

/** What is simulated. */
export interface Simulation {
  readonly repository: Repository;
  readonly hours: number;
  readonly seed: number;
  readonly policy: RetentionPolicy;
  /** Leaves behind what a write of that file leaves behind that was killed in the middle. */
  readonly leaveHalf: (name: string) => Promise<void>;
  /** Overwrites a stored archive with something that is none. */
  readonly damage: (name: string) => Promise<void>;
}

/** How often everything happened, and every promise that was broken. */
export interface SimulationReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly broken: readonly string[];
}

/** Files that a backup must never touch: not named as one, or named so and none of ours. */
const FOREIGN = [
  "s/notes.txt",
  "s/20250101T000000Z.zip",
  "s/20250230T000000Z.zip",
  "s/old/20250101T000000Z.zip",
  "t.zip",
];
const HOUR = 3_600_000;

/** Hourly backups of a changing stack, with all that befalls them, each promise looked at after every hour. */
export async function simulateBackups(simulation: Simulation): Promise<SimulationReport> {
  const { repository, hours, policy } = simulation;
  const random = seededRandom(simulation.seed);
  const clock = simulatedClock(Date.UTC(2026, 0, 1, 0, 30));
  const counts: Record<string, number> = {};
  const broken: string[] = [];
  const good = new Map<string, number>();
  const damaged = new Set<string>();
  const alive = new Set<number>();
  const state = { version: 0, fullUntil: 0, pid: 0, failedInARow: 0 };
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
  const newest = (): string => [...good.keys()].toSorted().at(-1) ?? "";
  for (const name of FOREIGN) await repository.writeText(name, `foreign ${name}`);

  /** Sees what really happens to the place, whatever the run believes. */
  const witnessed: Repository = {
    ...repository,
    async put(path, name) {
      await repository.put(path, name);
      good.set(name, state.version);
    },
    async remove(name) {
      if (name === newest()) broken.push(`${name}, the newest good one, was removed`);
      if (damaged.has(name) || FOREIGN.includes(name)) broken.push(`${name}, which is none of ours, was removed`);
      await repository.remove(name);
      good.delete(name);
    },
  };

  async function run(ifChanged: boolean): Promise<BackupResult | "locked" | "failed" | "killed"> {
    state.pid += 1;
    const { pid } = state;
    alive.add(pid);
    const full = (): boolean => clock.now() < state.fullUntil;
    const faulty = faultyRepository(witnessed, misfortune(random), full, simulation.leaveHalf);
    const host = random.chance(0.5) ? "here" : `pod-${pid}`;
    const owner = { host, pid, instance: String(pid), isAlive: (other: number) => alive.has(other) };
    const token = (): string => `token ${pid}`;
    const dependencies: BackupDependencies = {
      repository: faulty,
      clock,
      files: localFiles,
      openArchive,
      owner,
      token,
    };
    try {
      const exportTo = (path: string) => exportVersion(path, state.version, random);
      const input = { stack: "s", exportTo, encrypted: false, signed: false, ifChanged, policy };
      return await backupStack(input, dependencies, { events: ({ type }) => count(`event ${type}`) });
    } catch (error) {
      if (error instanceof KilledError) return "killed";
      if (!(error instanceof StackferryError)) throw error;
      return error.code === "locked" ? "locked" : "failed";
    } finally {
      alive.delete(pid);
    }
  }

  async function look(hour: number, ran: string): Promise<void> {
    const says = (problem: string): void => void broken.push(`hour ${hour} (${ran}): ${problem}`);
    const stored = await repository.list("");
    for (const name of FOREIGN) if (!stored.some((file) => file.name === name)) says(`${name} is gone`);
    const ours = stored.filter(({ name }) => /^s\/\d{8}T\d{6}Z\.zip$/.test(name) && !FOREIGN.includes(name));
    const expected = [...good.keys(), ...damaged].toSorted();
    if (ours.map(({ name }) => name).join() !== expected.join())
      says("other archives are there than were put and removed");
    const bound = mostKept(policy) + damaged.size + state.failedInARow;
    if (ours.length > bound) says(`${ours.length} archives, at most ${bound} were promised`);
    if (good.size > 0)
      await proveGood(newest(), good.get(newest()) ?? -1, repository).catch((error: unknown) => says(String(error)));
  }

  for (let hour = 0; hour < hours; hour += 1) {
    if (random.chance(0.4)) state.version += 1;
    if (random.chance(0.004)) state.fullUntil = clock.now() + Math.ceil(random.next() * 30) * HOUR;
    const ifChanged = random.chance(0.7);
    const results = await Promise.all(random.chance(0.03) ? [run(ifChanged), run(ifChanged)] : [run(ifChanged)]);
    const words = results.map((result) => (typeof result === "string" ? result : result.result));
    for (const word of words) count(word);
    // A lock of a run that is over must never stop the next one, an hour later.
    if (words.length === 1 && words[0] === "locked") broken.push(`hour ${hour}: the lock is stuck`);
    const worked = words.some((word) => word === "stored" || word === "unchanged");
    state.failedInARow = worked ? 0 : state.failedInARow + 1;
    await look(hour, words.join(" and "));
    if (random.chance(0.001) && good.size > 1) {
      await simulation.damage(newest());
      damaged.add(newest());
      good.delete(newest());
      count("damaged");
    }
    await clock.advance(HOUR);
  }
  return { counts, broken };
}

function misfortune(random: SeededRandom): Misfortune | undefined {
  if (random.next() > 0.12) return undefined;
  const kinds = ["before", "after", "kill", "half"] as const;
  return { call: random.between(1, 16), kind: random.pick(kinds) };
}

/** A stack whose content is its version, and which sometimes does not answer. */
async function exportVersion(path: string, version: number, random: SeededRandom): Promise<{ contentDigest: string }> {
  if (random.chance(0.02)) throw new StackferryError("unreachable", "the stack does not answer");
  const content = records({ sources: [source("a".repeat(24), `version ${version}`, "b".repeat(24))] });
  await using writer = await createArchiveWriter({ path, format: "zip" });
  for (const record of content) await writer.add(record);
  return await writer.finish(sampleHeader(content));
}

async function proveGood(name: string, version: number, repository: Repository): Promise<void> {
  await using scratch = await localFiles.scratch();
  const path = scratch.file(".zip");
  await repository.fetch(name, path);
  await using reader = await openArchive(path);
  for await (const record of reader.records()) {
    if (record.name !== `version ${version}`) throw new Error(`${name} does not hold version ${version}`);
  }
}
