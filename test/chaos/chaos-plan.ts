import type { FaultPlan, FaultRule as Rule } from "../support/faults/fault-plan.ts";
import { seededRandom, type SeededRandom } from "../support/seeded-random.ts";
import type { Meddling } from "./somebody-else.ts";

/** A moment at which a process is killed: `afterMs` after the target has received this many of its requests. */
export interface Kill {
  readonly requests: number;
  readonly afterMs: number;
}

/** Everything that one run does. The seed alone decides it. */
export interface ChaosPlan {
  readonly seed: number;
  /** `out`: from self-hosted to managed; `home`: the other way. */
  readonly direction: "out" | "home";
  /** `import` reads one archive each time, `migrate` makes a new one. */
  readonly command: "import" | "migrate";
  readonly source: FaultPlan;
  readonly target: FaultPlan;
  /** When each of the first processes is killed; empty if no process is killed. */
  readonly kills: readonly Kill[];
  readonly concurrency: number;
  /** Events after each process and before the next: a torn journal, and changes by somebody else. */
  readonly between: readonly Between[];
  /** Number of links between dashboards that are refused with 400. */
  readonly refusedLinks: number;
  /** Delay of each append to the journal, in milliseconds. */
  readonly diskMs: number;
  /** Whether the source has two alerts with the same content. */
  readonly twins: boolean;
  /** Whether each import is carried out under a plan that a dry run has shown. */
  readonly approves: boolean;
  /** Whether the import runs once more at the end, after changes by somebody else. */
  readonly again: boolean;
  /** Whether the import runs once more at the end, without its journal. */
  readonly againWithoutJournal: boolean;
}

/** The events between two processes. */
export interface Between {
  readonly tear: boolean;
  readonly meddling: Meddling;
}

/** Longer than any list of a plan lags behind, but short enough for a test. */
export const CONSISTENCY_WAIT_MS = 1000;
export const TIMEOUT_MS = 1000;

/** A stack has no more faults after this many, so that every run ends. */
const QUIET_AFTER = 26;
/** Events happen only after this many processes, so that every run ends. */
const BETWEENS = 4;
/** A whole import takes about 34 requests to the target. */
const LATEST_KILL = 36;
const MAX_AFTER_MS = 25;

/** Returns the plan that the seed decides. */
export function chaosPlan(seed: number): ChaosPlan {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1));
  const kills = seed % 3 !== 0 ? draws(random.between(1, 3), () => killMoment(random)) : [];
  const twins = seed % 5 !== 0 && random.chance(0.5);
  return {
    seed,
    direction: random.chance(0.5) ? "out" : "home",
    command: random.chance(0.6) ? "import" : "migrate",
    source: { seed, rules: pick(random, readFaults(random), random.between(1, 3)), quietAfter: 8 },
    target: {
      seed: seed + 1_000_000,
      rules: [
        ...alwaysFaults(random),
        // Only a lost response makes the import look for its alert among alerts with the same content.
        ...(twins ? [{ fault: "reset-after" as const, route: "POST alerts", rate: 0.8, times: 14 }] : []),
        ...pick(random, writeFaults(random), random.between(2, 4)),
        ...pick(random, readFaults(random), 1),
      ],
      quietAfter: QUIET_AFTER + (twins ? 14 : 0),
    },
    kills,
    concurrency: random.between(1, 6),
    between: draws(BETWEENS, () => drawBetween(random)),
    refusedLinks: random.between(0, 3),
    diskMs: random.chance(0.5) ? random.between(5, 30) : 0,
    twins,
    approves: seed % 4 === 2,
    again: seed % 5 !== 0,
    againWithoutJournal: seed % 5 === 0,
  };
}

function killMoment(random: SeededRandom): Kill {
  return { requests: random.between(1, LATEST_KILL), afterMs: random.between(0, MAX_AFTER_MS) };
}

function drawBetween(random: SeededRandom): Between {
  const one = (name: keyof Meddling): Meddling => (random.chance(0.4) ? { [name]: random.between(0, 999) / 1000 } : {});
  return {
    tear: random.chance(0.6),
    meddling: { ...one("deleteAlert"), ...one("deleteDashboard"), ...one("changeAlert") },
  };
}

/** Returns the faults of every run: lists that lag behind, and ids in upper case. */
function alwaysFaults(random: SeededRandom): Rule[] {
  return [
    { fault: "stale-list", ms: random.between(50, CONSISTENCY_WAIT_MS - 400), rate: 0.3, times: 4 },
    { fault: "case-ids", rate: 0.3, times: 4 },
  ];
}

/** Returns faults of writes, and of the lists in which an import looks for a write without a response. */
function writeFaults(random: SeededRandom): Rule[] {
  const rate = (): number => random.between(5, 35) / 100;
  const lag = (): number => random.between(50, CONSISTENCY_WAIT_MS - 400);
  return [
    { fault: "stale-list", ms: lag(), times: 15 },
    { fault: "stale-list", ms: lag(), rate: 0.5 },
    { fault: "reset-after", route: "POST *", rate: rate() },
    { fault: "500-after", route: "POST *", rate: rate() },
    { fault: "html-502-after", route: "POST dashboards", rate: rate() },
    { fault: "truncated", route: "POST *", rate: rate() },
    { fault: "never-after", route: "POST alerts", nth: [random.between(1, 6), random.between(7, 12)] },
    { fault: "reset-after", route: "PUT *", rate: rate() },
    { fault: "never", route: "POST dashboards", nth: random.between(1, 9) },
    { fault: "reset", route: "POST *", rate: rate() },
    { fault: "500", route: "POST *", rate: rate() },
    { fault: "429", route: "POST *", rate: 0.04, headers: random.chance(0.5), times: 3 },
    { fault: "slow", route: "POST *", rate: 0.5, ms: random.between(20, 200) },
    { fault: "case-ids", rate: random.between(2, 10) / 10, times: 15 },
    { fault: "drop-field", field: random.chance(0.5) ? "tags" : "tiles.config.compareToPreviousPeriod" },
  ];
}

/** Returns faults of lists. */
function readFaults(random: SeededRandom): Rule[] {
  const rate = (): number => random.between(5, 40) / 100;
  return [
    { fault: "500", route: "GET *", rate: rate() },
    { fault: "html-502", route: "GET *", rate: rate() },
    { fault: "reset", route: "GET *", rate: rate() },
    { fault: "truncated", route: "GET *", rate: rate() },
    { fault: "never", route: "GET alerts", nth: random.between(1, 3) },
    { fault: "slow", route: "GET *", rate: rate(), ms: random.between(20, 300) },
    { fault: "429", route: "GET *", nth: random.between(1, 4), headers: random.chance(0.5) },
    { fault: "case-ids", rate: random.between(2, 10) / 10, times: 4 },
  ];
}

function pick(random: SeededRandom, rules: readonly Rule[], count: number): Rule[] {
  const left = [...rules];
  return draws(Math.min(count, left.length), () => left.splice(random.between(0, left.length - 1), 1)).flat();
}

function draws<Value>(count: number, draw: () => Value): Value[] {
  return Array.from({ length: count }, draw);
}
