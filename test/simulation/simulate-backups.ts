import { readFile, writeFile } from "node:fs/promises";
import { openArchive } from "../../src/archive/reader.ts";
import type { BackupEnd } from "../../src/backup/backup-all.ts";
import { backupStack } from "../../src/backup/backup.ts";
import { LOCK_RENEWAL_MS } from "../../src/backup/stack-lock.ts";
import { selectBackup } from "../../src/backup/select-backup.ts";
import type { BackupDependencies } from "../../src/backup/dependencies.ts";
import type { RetentionPolicy } from "../../src/backup/retention.ts";
import { maxKeptArchives } from "../support/max-kept.ts";
import { resultOfBackups } from "../../src/cli/commands/backup.ts";
import { localFiles } from "../../src/cli/wiring/backup.ts";
import { StackferryError } from "../../src/core/errors.ts";
import type { Repository } from "../../src/core/ports.ts";
import { Agent } from "undici";
import { pingChannel } from "../../src/telemetry/ping.ts";
import { formatPrometheusText } from "../../src/telemetry/prometheus.ts";
import { startListener } from "../support/listener.ts";
import { runSummary } from "../support/run-summary.ts";
import { seededRandom, type SeededRandom } from "../support/seeded-random.ts";
import { KilledError, faultyRepository, type Misfortune } from "./faulty-repository.ts";
import { simulatedClock } from "./simulated-clock.ts";
import { WEATHERS, exporterIn, recordsOf, type Weather } from "./simulated-stack.ts";

/** The settings of a simulation. */
export interface Simulation {
  readonly repository: Repository;
  readonly hours: number;
  readonly seed: number;
  readonly policy: RetentionPolicy;
  /** Leaves what a killed write of this file leaves behind. */
  readonly leaveHalf: (name: string) => Promise<void>;
  /** Overwrites a stored archive with a text that is not an archive. */
  readonly damage: (name: string) => Promise<void>;
}

/** How often each event happened, and each promise that was broken. */
export interface SimulationReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly broken: readonly string[];
}

/**
 * Files that a backup must never change: those without a backup's name, and those with such a name that no backup has
 * written.
 */
const FOREIGN = [
  "s/notes.txt",
  "s/20250101T000000Z.zip",
  "s/20250230T000000Z.zip",
  "s/old/20250101T000000Z.zip",
  "t.zip",
];
const HOUR = 3_600_000;
/** A jump of the clock beyond the end of the simulation. */
const YEARS_AHEAD = 1000 * 24 * HOUR;
/** Twice the 48 hours of the policy's `within`, because a jump of the clock can keep as many again. */
const WITHIN_HOURS = 96;

/** Returns the time in an archive's name. */
function timeOf(name: string): number {
  const [, year, month, day, hour, minute] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/.exec(name) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
}

/** Simulates hourly backups of a changing stack, with random faults, and checks each promise after every hour. */
export async function simulateBackups(simulation: Simulation): Promise<SimulationReport> {
  const { repository, hours, policy } = simulation;
  await using service = await startListener();
  const ping = pingChannel(new URL(`${service.url}/s`), () => new Agent());
  const random = seededRandom(simulation.seed);
  const clock = simulatedClock(Date.UTC(2026, 0, 1, 0, 30));
  const counts: Record<string, number> = {};
  const broken: string[] = [];
  const good = new Map<string, number>();
  const suspect = new Set<string>();
  const damaged = new Set<string>();
  /** Archives that are dated ahead of the true clock. */
  const ahead = new Set<string>();
  const alive = new Set<number>();
  const lastGoodBackups = new Map<string, string>();
  /** Archives that were put without a response: their own run removes them. */
  const unanswered = new Set<string>();
  const state = {
    version: 0,
    fullUntil: 0,
    pid: 0,
    failedInARow: 0,
    weather: "fair" as Weather,
    badUntil: 0,
    aheadBy: 0,
    hasOwnClock: false,
  };
  const hidden = new Map<string, Buffer>();
  let aside = { good: new Map<string, number>(), suspect: [""], damaged: [""], ahead: [""] };
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
  const newest = (): string => [...good.keys()].toSorted().at(-1) ?? "";
  for (const name of FOREIGN) await repository.writeText(name, `foreign ${name}`);

  /** Records what really happens to the repository, whatever response the run gets. */
  const observed: Repository = {
    ...repository,
    async put(path, name) {
      await repository.put(path, name);
      if (timeOf(name) > clock.now() + HOUR) ahead.add(name);
      else if (state.weather === "fair") good.set(name, state.version);
      else suspect.add(name);
    },
    async remove(name) {
      if (name === newest() && !unanswered.has(name)) broken.push(`${name}, the newest good one, was removed`);
      if (damaged.has(name) || FOREIGN.includes(name)) broken.push(`${name}, which is none of ours, was removed`);
      await repository.remove(name);
      good.delete(name);
      suspect.delete(name);
      ahead.delete(name);
    },
    clockAhead: async () => (state.hasOwnClock ? state.aheadBy : 0),
  };

  async function run(ifChanged: boolean): Promise<BackupEnd | "killed"> {
    state.pid += 1;
    const { pid } = state;
    alive.add(pid);
    const full = (): boolean => clock.now() < state.fullUntil;
    const failing = faultyRepository(observed, misfortune(random), full, simulation.leaveHalf);
    const put: Repository["put"] = async (path, name) => {
      unanswered.add(name);
      await failing.put(path, name);
      unanswered.delete(name);
    };
    const faulty = { ...failing, put };
    const host = random.chance(0.5) ? "here" : `pod-${pid}`;
    const owner = { host, pid, instance: String(pid), isAlive: (other: number) => alive.has(other) };
    const dependencies = dependenciesWith(faulty, owner);
    const events = ({ type }: { readonly type: string }): void => count(`event ${type}`);
    try {
      if (random.chance(0.02)) throw new StackferryError("unreachable", "the stack does not answer");
      const exportTo = exporterIn(state.weather, state.version);
      const always = { acceptSuspect: false, policy };
      return await backupStack({ stack: "s", exportTo, ifChanged, ...always }, dependencies, { events });
    } catch (error) {
      if (error instanceof KilledError) return "killed";
      if (!(error instanceof StackferryError)) throw error;
      return { stack: "s", result: "failed", error };
    } finally {
      alive.delete(pid);
    }
  }

  function dependenciesWith(target: Repository, owner: BackupDependencies["owner"]): BackupDependencies {
    const token = (): string => `token ${owner.instance}`;
    return {
      repository: target,
      clock: {
        now: () => clock.now() + (target === repository ? 0 : state.aheadBy),
        // No other run is at work while a run watches the lock of a dead one.
        sleep: (ms, signal) => (ms > LOCK_RENEWAL_MS ? Promise.resolve() : clock.sleep(ms, signal)),
      },
      files: localFiles,
      openArchive: (path, bytes) => openArchive(path, { bytes }),
      owner,
      createToken: token,
      checksSignature: false,
      signerOf: () => undefined,
      minShare: 0.5,
      localRecord: {
        lastGoodBackupAt: async (stack) => lastGoodBackups.get(stack),
        recordGoodBackup: async (stack, at) => void lastGoodBackups.set(stack, at),
      },
    };
  }

  /**
   * Expects that a bad hour sets an exit code and sends a notification, and that a fair hour does neither. A killed run sends
   * nothing.
   */
  async function checkReports(hour: number, end: BackupEnd | "killed"): Promise<void> {
    if (end === "killed") return;
    const report = (problem: string): void => void broken.push(`hour ${hour} (${state.weather}): ${problem}`);
    const { exitCode, stackEnds = [] } = resultOfBackups([end], "here");
    const summary = { ...runSummary, command: "backup", stack: "", exitCode, stacks: stackEnds };
    const metrics = formatPrometheusText(summary);
    await ping.end(summary, new AbortController().signal);
    const pingedPath = service.heard.at(-1)?.path;
    if (pingedPath !== (exitCode === 0 ? "/s" : `/s/${exitCode}`))
      report(`the service heard ${pingedPath} at exit code ${exitCode}`);
    if (!metrics.includes(`stackferry_last_run_exit_code{command="backup",stack="s"} ${exitCode}`))
      report("the metrics do not say so");
    const isBad = state.weather !== "fair" || end.result === "failed";
    if (isBad && exitCode === 0) report("a bad hour ended with exit code 0");
    if (end.result === "failed") return;
    count(end.suspect.length > 0 ? "suspect" : end.result);
    const isSuspect = end.suspect.length > 0;
    if (state.weather === "fair" && isSuspect) report("a whole archive was called suspect");
    if (!metrics.includes(`stackferry_backup_suspect{command="backup",stack="s"} ${Number(isSuspect)}`))
      report("the metrics do not say so");
  }

  async function checkRepository(hour: number, ran: string): Promise<void> {
    const report = (problem: string): void => void broken.push(`hour ${hour} (${ran}): ${problem}`);
    const stored = await repository.list("");
    for (const name of FOREIGN) if (!stored.some((file) => file.name === name)) report(`${name} is gone`);
    const ours = stored.filter(({ name }) => /^s\/\d{8}T\d{6}Z\.zip$/.test(name) && !FOREIGN.includes(name));
    const expected = [...good.keys(), ...suspect, ...damaged, ...ahead].toSorted();
    if (ours.map(({ name }) => name).join() !== expected.join())
      report("other archives are there than were put and removed");
    // Suspect archives are counted separately from good ones.
    const bound = 2 * maxKeptArchives(policy) + damaged.size + 2 * ahead.size + state.failedInARow + WITHIN_HOURS;
    if (ours.length > bound) report(`${ours.length} archives, at most ${bound} were promised`);
    if (good.size === 0) return;
    const reader = dependenciesWith(repository, { host: "reader", pid: 0, instance: "r", isAlive: () => false });
    const chosen = await selectBackup("s", "latest", reader, { events: () => {} });
    if (chosen.name !== newest()) report(`${chosen.name} would be restored, not ${newest()}`);
    await proveGood(newest(), good.get(newest()) ?? -1, repository).catch((error: unknown) => report(String(error)));
  }

  /** Unmounts the repository's disk: its files are hidden, and new files go elsewhere. */
  async function unmount(): Promise<void> {
    for (const { name } of await repository.list("")) {
      if (FOREIGN.includes(name)) continue;
      await using scratch = await localFiles.createScratchFolder();
      const path = scratch.file("");
      await repository.fetch(name, path);
      hidden.set(name, await readFile(path));
      await repository.remove(name);
    }
    aside = { good: new Map(good), suspect: [...suspect], damaged: [...damaged], ahead: [...ahead] };
    for (const names of [good, suspect, damaged, ahead]) names.clear();
  }

  async function mount(): Promise<void> {
    for (const { name } of await repository.list("")) if (!FOREIGN.includes(name)) await repository.remove(name);
    for (const [name, bytes] of hidden) {
      await using scratch = await localFiles.createScratchFolder();
      const path = scratch.file("");
      await writeFile(path, bytes);
      // The test S3 server can lose a body while it still handles a broken connection. The upload then fails, so it is
      // repeated.
      await repository.put(path, name).catch(() => repository.put(path, name));
    }
    hidden.clear();
    for (const names of [good, suspect, damaged, ahead]) names.clear();
    for (const [name, version] of aside.good) good.set(name, version);
    for (const name of aside.suspect) suspect.add(name);
    for (const name of aside.damaged) damaged.add(name);
    for (const name of aside.ahead) ahead.add(name);
  }

  for (let hour = 0; hour < hours; hour += 1) {
    if (random.chance(0.4)) state.version += 1;
    if (random.chance(0.004)) state.fullUntil = clock.now() + Math.ceil(random.next() * 30) * HOUR;
    if (clock.now() >= state.badUntil) {
      if (state.weather === "emptied") await mount();
      state.weather = "fair";
    }
    state.aheadBy = state.weather === "fair" && good.size > 1 && random.chance(0.01) ? YEARS_AHEAD : 0;
    state.hasOwnClock = random.chance(0.5);
    if (state.aheadBy > 0) count("clock ahead");
    // The first backup must be fair, because it cannot be compared with an earlier one.
    if (state.weather === "fair" && good.size > 0 && random.chance(0.02)) {
      state.weather = random.pick(WEATHERS.filter((weather) => weather !== "fair"));
      state.badUntil = clock.now() + Math.ceil(random.next() * 12) * HOUR;
      state.aheadBy = 0;
      if (state.weather === "emptied" && !lastGoodBackups.has("s")) state.weather = "lost";
      if (state.weather === "emptied") await unmount();
    }
    if (state.weather !== "fair") count(`weather ${state.weather}`);
    const ifChanged = random.chance(0.7);
    const ends = await Promise.all(random.chance(0.03) ? [run(ifChanged), run(ifChanged)] : [run(ifChanged)]);
    for (const end of ends) await checkReports(hour, end);
    const words = ends.map(wordFor);
    for (const word of words) if (word === "locked" || word === "failed" || word === "killed") count(word);
    // The lock of a run that has ended must never stop the next run, an hour later.
    if (words.length === 1 && words[0] === "locked") broken.push(`hour ${hour}: the lock is stuck`);
    const worked = words.some((word) => word === "stored" || word === "unchanged");
    state.failedInARow = worked ? 0 : state.failedInARow + 1;
    await checkRepository(hour, words.join(" and "));
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

function wordFor(end: BackupEnd | "killed"): string {
  if (end === "killed" || end.result !== "failed") return end === "killed" ? end : end.result;
  return end.error.code === "locked" ? "locked" : "failed";
}

async function proveGood(name: string, version: number, repository: Repository): Promise<void> {
  await using scratch = await localFiles.createScratchFolder();
  const path = scratch.file(".zip");
  await repository.fetch(name, path);
  await using reader = await openArchive(path);
  let records = 0;
  for await (const { kind, name: title } of reader.records()) {
    records += 1;
    const wrong = kind === "dashboards" && title !== `version ${version}`;
    if (wrong) throw new Error(`${name} does not hold version ${version}`);
  }
  if (records !== recordsOf(version)) throw new Error(`${name} holds ${records} records of ${recordsOf(version)}`);
}
