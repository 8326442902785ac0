import { join } from "node:path";
import { readFile, writeFile } from "node:fs/promises";
import { Agent } from "undici";
import { openArchive } from "../../src/archive/reader.ts";
import type { BackupEnd } from "../../src/backup/backup-all.ts";
import { backupStack } from "../../src/backup/backup.ts";
import { checkRepository } from "../../src/backup/check.ts";
import { selectBackup } from "../../src/backup/select-backup.ts";
import type { BackupContext } from "../../src/backup/backup-context.ts";
import type { RetentionPolicy } from "../../src/core/retention-policy.ts";
import { maxKeptArchives } from "../support/max-kept.ts";
import { resultOfBackups } from "../../src/cli/commands/backup.ts";
import { StackferryError } from "../../src/core/errors.ts";
import type { Repository } from "../../src/core/ports.ts";
import { pingChannel } from "../../src/telemetry/channel.ts";
import { startListener } from "../support/listener.ts";
import { runSummary } from "../support/run-summary.ts";
import { seededRandom, type SeededRandom } from "../support/seeded-random.ts";
import { faultyRepository, KilledError, type Misfortune } from "./faulty-repository.ts";
import { simulatedClock } from "./simulated-clock.ts";
import { exporterIn, recordsOf, WEATHERS, type Weather } from "./simulated-stack.ts";
import { digestFile } from "../../src/files/regular-file.ts";
import { createTemporaryFolder } from "../../src/files/temporary-folder.ts";
import { formatPrometheusText } from "../../src/telemetry/metrics.ts";
import { recordsIn } from "../support/archive-samples.ts";

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

/** Files that a backup must never change, because they do not have the name of one. */
const FOREIGN = [
  "s/notes.txt",
  "s/20250101T000000Z.zip.bak",
  "s/20250230T000000Z.zip",
  "s/old/20250101T000000Z.zip",
  "t.zip",
];
const HOUR = 3_600_000;
/** A jump of the clock beyond the end of the simulation. */
const YEARS_AHEAD = 1000 * 24 * HOUR;
/** The hours of the policy's `within`, with two runs in some of them. */
const WITHIN_HOURS = 60;

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
  const lastGoodBackups = new Map<string, string>();
  /** Archives without an entry, with what counts for them once it is written. */
  const unfinished = new Map<string, () => void>();
  /** The simulated time of each write. */
  const writtenAt = new Map<string, number>();
  const state = {
    version: 0,
    fullUntil: 0,
    pid: 0,
    failedInARow: 0,
    hoursUnpruned: 0,
    weather: "fair" as Weather,
    badUntil: 0,
    aheadBy: 0,
    hasOwnClock: false,
  };
  const hidden = new Map<string, Buffer>();
  let aside = {
    good: new Map<string, number>(),
    suspect: [""],
    damaged: [""],
    ahead: [""],
    unfinished: new Map<string, () => void>(),
  };
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
  const newest = (): string => [...good.keys()].toSorted().at(-1) ?? "";
  for (const name of FOREIGN) await repository.writeText(name, `foreign ${name}`);

  /** The texts that were read. A run must never change a file, so each has to be read once. */
  const texts = new Map<string, Awaited<ReturnType<Repository["readText"]>>>();
  const readText: Repository["readText"] = async (name) => {
    const known = texts.get(name) ?? (await repository.readText(name));
    texts.set(name, known);
    return known;
  };
  const reading: Repository = { ...repository, readText };
  /** Records what really happens to the repository, whatever response the run gets. */
  const observed: Repository = {
    ...reading,
    async list(prefix) {
      const files = await repository.list(prefix);
      return files.map((file) => ({ ...file, modifiedAt: writtenAt.get(file.name) ?? 0 }));
    },
    async put(path, name) {
      await refuseChange(name);
      await repository.put(path, name).catch(async (error: unknown) => {
        // A failure of the test's own store, which may have the file nevertheless: the books of this simulation do not.
        if (repository.address.startsWith("s3://")) await repository.remove(name);
        throw error;
      });
      writtenAt.set(name, clock.now());
      const { weather, version } = state;
      unfinished.set(name, () => {
        if (timeOf(name) > clock.now() + HOUR) ahead.add(name);
        else if (weather === "fair") good.set(name, version);
        else suspect.add(name);
      });
    },
    async writeText(name, text) {
      if (text !== "") await refuseChange(name);
      await repository.writeText(name, text);
      texts.delete(name);
      writtenAt.set(name, clock.now());
      if (name.endsWith(".unchanged") && timeOf(name) > clock.now() + HOUR) ahead.add(name);
      const archive = name.replace(/json$/, "zip");
      unfinished.get(archive)?.();
      unfinished.delete(archive);
    },
    async remove(name) {
      if (name === newest()) broken.push(`${name}, the newest good one, was removed`);
      if (unfinished.has(name)) broken.push(`${name}, which can be completed, was removed`);
      if (damaged.has(name) || FOREIGN.includes(name)) broken.push(`${name}, which is none of ours, was removed`);
      await repository.remove(name);
      texts.delete(name);
      good.delete(name);
      suspect.delete(name);
      ahead.delete(name);
    },
    clockAhead: async () => (state.hasOwnClock ? state.aheadBy : 0),
  };

  async function refuseChange(name: string): Promise<void> {
    const isThere = (await repository.list(name)).some((file) => file.name === name);
    if (isThere) broken.push(`${name} was changed`);
  }

  async function run(ifChanged: boolean): Promise<BackupEnd | "killed"> {
    state.pid += 1;
    const { pid } = state;
    const full = (): boolean => clock.now() < state.fullUntil;
    const faulty = faultyRepository(observed, misfortune(random), full, simulation.leaveHalf);
    const context: BackupContext = { ...contextWith(faulty, pid), events: ({ type }) => count(`event ${type}`) };
    try {
      if (random.chance(0.02)) throw new StackferryError("unreachable", "the stack does not answer");
      const exportTo = exporterIn(state.weather, state.version);
      return await backupStack({ stack: "s", exportTo, ifChanged, policy }, context);
    } catch (error) {
      if (error instanceof KilledError) return "killed";
      if (!(error instanceof StackferryError)) throw error;
      return { stack: "s", result: "failed", error };
    }
  }

  function contextWith(target: Repository, run: number): BackupContext {
    const tokens = seededRandom(run);
    return {
      events: () => {},
      repository: target,
      clock: {
        now: () => clock.now() + (target === reading ? 0 : state.aheadBy),
        sleep: (ms, signal) => clock.sleep(ms, signal),
      },
      createTemporaryFolder,
      digestFile,
      openArchive: (path) => openArchive(path),
      // As random as in a real run: two runs at once would otherwise meet in second after second.
      createToken: () =>
        tokens
          .below(2 ** 32)
          .toString(16)
          .padStart(8, "0"),
      checksSignature: false,
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

  async function checkFiles(hour: number, ran: string): Promise<void> {
    const report = (problem: string): void => void broken.push(`hour ${hour} (${ran}): ${problem}`);
    const stored = await repository.list("");
    for (const name of FOREIGN) if (!stored.some((file) => file.name === name)) report(`${name} is gone`);
    const ours = stored.filter(({ name }) => /^s\/\d{8}T\d{6}Z\.zip$/.test(name) && !FOREIGN.includes(name));
    const aheadArchives = [...ahead].filter((name) => name.endsWith(".zip"));
    const expected = [...good.keys(), ...suspect, ...damaged, ...aheadArchives, ...unfinished.keys()].toSorted();
    if (ours.map(({ name }) => name).join() !== expected.join())
      report("other archives are there than were put and removed");
    // Suspect archives are counted separately from good ones.
    const unpruned = damaged.size + ahead.size + unfinished.size + 2 * (state.failedInARow + state.hoursUnpruned);
    const bound = 2 * maxKeptArchives(policy) + unpruned + WITHIN_HOURS;
    if (ours.length > bound) report(`${ours.length} archives, at most ${bound} were promised`);
    if (good.size === 0) return;
    const chosen = await selectBackup("s", "latest", contextWith(reading, 0));
    if (chosen.name !== newest()) report(`${chosen.name} would be restored, not ${newest()}`);
    await proveGood(newest(), good.get(newest()) ?? -1, repository).catch((error: unknown) => report(String(error)));
  }

  /** Unmounts the repository's disk: its files are hidden, and new files go elsewhere. */
  async function unmount(): Promise<void> {
    for (const { name } of await repository.list("")) {
      if (FOREIGN.includes(name)) continue;
      await using folder = await createTemporaryFolder();
      const path = join(folder.path, "archive.zip");
      await repository.fetch(name, path);
      hidden.set(name, await readFile(path));
      await repository.remove(name);
    }
    aside = {
      good: new Map(good),
      suspect: [...suspect],
      damaged: [...damaged],
      ahead: [...ahead],
      unfinished: new Map(unfinished),
    };
    for (const names of [good, suspect, damaged, ahead, unfinished, texts]) names.clear();
  }

  /** The operator removes what was dated ahead, as the warnings ask. */
  async function removeDatedAhead(): Promise<void> {
    for (const name of ahead) {
      const files = await repository.list(name.replace(/[^.]*$/, ""));
      for (const file of files) await repository.remove(file.name);
    }
    ahead.clear();
  }

  async function mount(): Promise<void> {
    for (const { name } of await repository.list("")) if (!FOREIGN.includes(name)) await repository.remove(name);
    for (const [name, bytes] of hidden) {
      await using folder = await createTemporaryFolder();
      const path = join(folder.path, "archive.zip");
      await writeFile(path, bytes);
      // The test S3 server can lose a body while it still handles a broken connection. The upload then fails, so it is
      // repeated.
      await repository.put(path, name).catch(() => repository.put(path, name));
    }
    hidden.clear();
    for (const names of [good, suspect, damaged, ahead, unfinished, texts]) names.clear();
    for (const [name, version] of aside.good) good.set(name, version);
    for (const name of aside.suspect) suspect.add(name);
    for (const name of aside.damaged) damaged.add(name);
    for (const name of aside.ahead) ahead.add(name);
    for (const [name, finish] of aside.unfinished) unfinished.set(name, finish);
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
    const words = ends.map((end) => (end === "killed" ? end : end.result));
    for (const word of words) if (word === "failed" || word === "killed") count(word);
    if (words.filter((word) => word === "stored").length === 2) count("two at once");
    const worked = words.some((word) => word === "stored" || word === "unchanged");
    state.failedInARow = worked ? 0 : state.failedInARow + 1;
    state.hoursUnpruned = ahead.size > 0 || state.aheadBy > 0 ? state.hoursUnpruned + 1 : 0;
    await checkFiles(hour, words.join(" and "));
    if (state.aheadBy === 0 && unfinished.size > 0 && random.chance(0.2)) {
      await checkRepository({ stacks: ["s"], percent: 0, random: () => 0 }, contextWith(observed, 1));
      count("completed");
      await checkFiles(hour, "check");
    }
    if (state.aheadBy === 0 && ahead.size > 0 && random.chance(0.3)) await removeDatedAhead();
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
  return { call: random.between(1, 20), kind: random.pick(kinds) };
}

async function proveGood(name: string, version: number, repository: Repository): Promise<void> {
  await using folder = await createTemporaryFolder();
  const path = join(folder.path, "archive.zip");
  await repository.fetch(name, path);
  await using reader = await openArchive(path);
  let records = 0;
  for (const { kind, name: title } of await recordsIn(reader)) {
    records += 1;
    const wrong = kind === "dashboards" && title !== `version ${version}`;
    if (wrong) throw new Error(`${name} does not hold version ${version}`);
  }
  if (records !== recordsOf(version)) throw new Error(`${name} holds ${records} records of ${recordsOf(version)}`);
}
