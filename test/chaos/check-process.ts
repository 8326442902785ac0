import { journalText, wholeLines, type JournalLine } from "./journal-lines.ts";
import type { ProgramEnd } from "./run-program.ts";
import { WRITTEN_KINDS, type ServerLog } from "./server-log.ts";

/**
 * A run may end with these codes: all records done, some not done, or the stack failed. Any other code is a defect of the
 * program.
 */
const EXIT_CODES: readonly (number | null)[] = [0, 3, 6];

interface ReportedOutcome {
  readonly kind: string;
  readonly name: string;
  readonly sourceId: string;
  readonly targetId?: string;
  readonly action: string;
  readonly status: string;
  readonly code?: string;
  readonly message?: string;
}

interface ReportedRun {
  readonly plan?: string;
  readonly ok: boolean;
  readonly exitCode: number;
  readonly error?: { readonly code?: string; readonly message?: string };
  readonly outcomes: readonly ReportedOutcome[];
}

/** The facts by which a process is checked. */
export interface ProcessFacts {
  readonly end: ProgramEnd;
  /** Whether the plan kills this process. */
  readonly mayBeKilled: boolean;
  readonly cwd: string;
  /**
   * The text of the journal before the process. A process that ends before it opens the journal leaves a torn line as it was.
   */
  readonly journalBefore: string;
  readonly log: ServerLog;
  /** Whether the run still has the journal of its first process. */
  readonly hasJournal: boolean;
  /** Returns whether a record of this name need not be in the journal, because it was not stored as it was sent. */
  readonly unlike: (name: string) => boolean;
  /** The number of links of each record of the source that is written, by key such as `dashboards/ID`. */
  readonly links: ReadonlyMap<string, number>;
}

/** Returns what is wrong with one process: with its end, its journal lines and its report. */
export function checkProcess(facts: ProcessFacts): string[] {
  const { end, mayBeKilled, cwd, journalBefore, log } = facts;
  const killed = end.exitCode === null;
  const text = journalText(cwd);
  const journal = checkJournal(text, killed || text === journalBefore, log);
  if (killed) return mayBeKilled ? journal : ["died without being killed", ...journal];
  return [...checkEnd(end), ...journal, ...checkOutcomes(facts), ...checkJournalled(facts)];
}

/** Expects one of the expected exit codes, and 0 if and only if nothing failed. */
export function checkEnd(end: ProgramEnd): string[] {
  const run = reportOf(end);
  if (run === undefined) return [`exit ${end.exitCode} without a JSON report: ${end.stderr.slice(-300)}`];
  const failed = run.outcomes.filter(({ status }) => status !== "done");
  const isWell = run.error === undefined && failed.length === 0;
  const wrong = (is: boolean, problem: string): string[] => (is ? [problem] : []);
  return [
    ...wrong(!EXIT_CODES.includes(end.exitCode), `exit ${end.exitCode}: ${end.stderr.slice(-300)}`),
    ...wrong(run.exitCode !== end.exitCode, `exit ${end.exitCode}, but the report says ${run.exitCode}`),
    ...wrong(run.ok !== (end.exitCode === 0), `exit ${end.exitCode} and ok ${String(run.ok)}`),
    ...wrong((end.exitCode === 0) !== isWell, `exit ${end.exitCode}, with ${failed.length} records not done`),
    ...failed
      .filter(({ code, message }) => !code || !message)
      .map(({ kind, name }) => `${kind} "${name}" failed, and nothing says why`),
  ];
}

/** Expects that a run whose plan is no longer the approved one shows the present plan, and has written nothing. */
export function checkPlanChanged(end: ProgramEnd, writes: number): string[] {
  return [
    ...(planOf(end) === undefined ? [`exit ${end.exitCode} without a plan: ${end.stderr.slice(-300)}`] : []),
    ...(writes === 0 ? [] : [`exit ${end.exitCode} after ${writes} writes`]),
  ];
}

/** Returns the digest of the plan that a run has shown. */
export function planOf(end: ProgramEnd): string | undefined {
  return reportOf(end)?.plan;
}

function checkJournal(text: string, mayBreakOff: boolean, log: ServerLog): string[] {
  if (!mayBreakOff && text !== "" && !text.endsWith("\n")) return ["the journal of a process that ended breaks off"];
  let lines: JournalLine[];
  try {
    lines = wholeLines(text);
  } catch {
    return ["the journal has a line that is not JSON"];
  }
  const headers = lines.filter(({ type }) => type === "journal").length;
  const done = lines.filter(({ type }) => type === "done");
  return [
    ...(lines.length > 0 && (headers !== 1 || lines[0]?.type !== "journal")
      ? ["the journal has no single header"]
      : []),
    ...log.unannounced,
    ...done.flatMap((line) => checkDone(line, log)),
    ...checkSettledOnce(done),
  ];
}

/** Expects that the server has carried out each write that the journal calls done. */
function checkDone({ key = "", write, targetId = "" }: JournalLine, { created, updated }: ServerLog): string[] {
  const record = `${key.split("/")[0]} ${targetId.toLowerCase()}`;
  const happened = write === "create" ? created.has(record) : updated.has(record) || created.has(record);
  return happened ? [] : [`the journal calls the ${write} of ${key} done, and there was none of ${record}`];
}

/** Expects that no two records of the source became the same record of the target. */
function checkSettledOnce(done: readonly JournalLine[]): string[] {
  const owners = new Map<string, string>();
  // The loss of an alert that the server deleted with an update stands under the target's own key: no record became another.
  const isLoss = ({ key = "", write, targetId = "" }: JournalLine): boolean =>
    write === "delete" && key.toLowerCase().endsWith(`/${targetId.toLowerCase()}`);
  return done
    .filter((line) => !isLoss(line))
    .flatMap(({ key = "", targetId = "" }) => {
      const owner = owners.get(targetId.toLowerCase()) ?? key;
      owners.set(targetId.toLowerCase(), owner);
      return owner === key ? [] : [`${owner} and ${key} are both said to be ${targetId}`];
    });
}

/** Expects that the journal names each created record when all is done, because a rollback deletes only those. */
function checkJournalled({ end, cwd, log, hasJournal, unlike }: ProcessFacts): string[] {
  if (end.exitCode !== 0 || !hasJournal) return [];
  const done = wholeLines(journalText(cwd)).filter(({ type }) => type === "done");
  const journalledIds = new Set(done.map(({ targetId = "" }) => targetId.toLowerCase()));
  return [...log.live.values()]
    .filter(({ id, name }) => !journalledIds.has(id) && !unlike(name))
    .map(({ kind, name }) => `the journal does not know that ${kind} "${name}" was created`);
}

function checkOutcomes({ end, log, links }: ProcessFacts): string[] {
  const run = reportOf(end);
  // A run with an error may have ended before it had a plan.
  if (run === undefined || run.error !== undefined) return [];
  const written = run.outcomes.filter(({ kind }) => WRITTEN_KINDS.some((each) => each === kind));
  const reportedKeys = written.map(({ kind, sourceId }) => `${kind}/${sourceId.toLowerCase()}`);
  const misreported = [...links.keys()].filter((key) => reportedKeys.filter((each) => each === key).length !== 1);
  const there = written.filter(({ status }) => status === "done");
  const targets = there.map(({ targetId = "" }) => targetId.toLowerCase());
  return [
    ...misreported.map((key) => `${key} is not reported exactly once`),
    ...there.flatMap((outcome) => checkThere(outcome, log, links)),
    ...targets.filter((id, index) => targets.indexOf(id) !== index).map((id) => `two records are said to be ${id}`),
    ...[...log.live.values()]
      .filter((record) => record.process === log.process() && !targets.includes(record.id))
      .filter(({ name }) => !written.some((outcome) => outcome.name === name && outcome.status !== "done"))
      .map(({ kind, name }) => `${kind} "${name}" was created, and the report does not say so`),
  ];
}

/** Expects that a record that is reported as done exists, with its kind, its name and all its links. */
function checkThere(
  { kind, name, sourceId, targetId = "", action }: ReportedOutcome,
  { live }: ServerLog,
  links: ReadonlyMap<string, number>,
): string[] {
  const record = live.get(targetId.toLowerCase());
  const reported = `${kind} "${name}" is reported as ${action}, done`;
  if (record?.kind !== kind || record.name !== name) return [`${reported}, as ${targetId}, and that is not there`];
  const wanted = links.get(`${kind}/${sourceId.toLowerCase()}`);
  return action === "skip" || record.links === wanted ? [] : [`${reported}, with ${record.links} of ${wanted} links`];
}

/**
 * Tells whether a killed process has left records without their links of which nobody can say whether they were edited. Their outcome
 * says that `--on-conflict overwrite` finishes them.
 */
export function advisesOverwrite(end: ProgramEnd | undefined): boolean {
  const outcomes = (end && reportOf(end))?.outcomes ?? [];
  return outcomes.some(({ code }) => code === "unfinished-import");
}

function reportOf({ stdout }: ProgramEnd): ReportedRun | undefined {
  try {
    return JSON.parse(stdout) as ReportedRun;
  } catch {
    return undefined;
  }
}
