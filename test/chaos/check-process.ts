import { journalText, wholeLines } from "./journal-lines.ts";
import type { JournalLine } from "./journal-lines.ts";
import type { ProgramEnd } from "./run-program.ts";
import type { ServerLog } from "./server-log.ts";
import { WRITTEN_KINDS } from "./server-log.ts";

/** A run may end so: all done, some records not, the stack failed. Anything else is a mistake of the program. */
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
  readonly ok: boolean;
  readonly exitCode: number;
  readonly error?: { readonly code?: string; readonly message?: string };
  readonly outcomes: readonly ReportedOutcome[];
}

/** The facts by which a process is judged. */
export interface ProcessFacts {
  readonly end: ProgramEnd;
  /** It may have been killed. */
  readonly mayBeKilled: boolean;
  readonly cwd: string;
  /** The text of the journal before the process: a process that ends before it opens the journal leaves a torn line as it was. */
  readonly journalBefore: string;
  readonly log: ServerLog;
  /** The journal was kept from the beginning on. */
  readonly hasJournal: boolean;
  /** Names of records of which the journal may say nothing: what is stored is not what was sent. */
  readonly unlike: (name: string) => boolean;
  /** `dashboards/ID` and the like of everything on the source that is written, and how many links each has. */
  readonly links: ReadonlyMap<string, number>;
}

/** Says what is wrong about one process: how it ended, what it wrote into the journal, and what it says it did. */
export function checkProcess(facts: ProcessFacts): string[] {
  const { end, mayBeKilled, cwd, journalBefore, log } = facts;
  const killed = end.exitCode === null;
  const text = journalText(cwd);
  const journal = checkJournal(text, killed || text === journalBefore, log);
  if (killed) return mayBeKilled ? journal : ["died without being killed", ...journal];
  return [...checkEnd(end), ...journal, ...checkOutcomes(facts), ...checkKnown(facts)];
}

/** The exit code is one of the expected, and 0 exactly where nothing failed. */
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

function checkJournal(text: string, mayBreakOff: boolean, log: ServerLog): string[] {
  if (!mayBreakOff && text !== "" && !text.endsWith("\n")) return ["the journal of a process that ended breaks off"];
  let lines: JournalLine[];
  try {
    lines = wholeLines(text);
  } catch {
    return ["the journal has a line that is not JSON"];
  }
  const begins = lines.filter(({ type }) => type === "begin").length;
  const done = lines.filter(({ type }) => type === "done");
  return [
    ...(lines.length > 0 && (begins !== 1 || lines[0]?.type !== "begin") ? ["the journal has no single begin"] : []),
    ...log.unannounced,
    ...done.flatMap((line) => checkDone(line, log)),
    ...checkSettledOnce(done),
  ];
}

/** Nothing is called done that the server did not do. */
function checkDone({ key = "", write, targetId = "" }: JournalLine, { created, updated }: ServerLog): string[] {
  const repository = `${key.split("/")[0]} ${targetId.toLowerCase()}`;
  const happened = write === "create" ? created.has(repository) : updated.has(repository) || created.has(repository);
  return happened ? [] : [`the journal calls the ${write} of ${key} done, and there was none of ${repository}`];
}

/** Two records of the source are never one record of the target. */
function checkSettledOnce(done: readonly JournalLine[]): string[] {
  const owners = new Map<string, string>();
  return done.flatMap(({ key = "", targetId = "" }) => {
    const owner = owners.get(targetId.toLowerCase()) ?? key;
    owners.set(targetId.toLowerCase(), owner);
    return owner === key ? [] : [`${owner} and ${key} are both said to be ${targetId}`];
  });
}

/** When all is done, the journal knows every record that was created: a rollback takes out what it knows. */
function checkKnown({ end, cwd, log, hasJournal, unlike }: ProcessFacts): string[] {
  if (end.exitCode !== 0 || !hasJournal) return [];
  const done = wholeLines(journalText(cwd)).filter(({ type }) => type === "done");
  const known = new Set(done.map(({ targetId = "" }) => targetId.toLowerCase()));
  return [...log.live.values()]
    .filter(({ id, name }) => !known.has(id) && !unlike(name))
    .map(({ kind, name }) => `the journal does not know that ${kind} "${name}" was created`);
}

function checkOutcomes({ end, log, links }: ProcessFacts): string[] {
  const run = reportOf(end);
  // A run that ended with an error may have ended before it knew what there is to do.
  if (run === undefined || run.error !== undefined) return [];
  const written = run.outcomes.filter(({ kind }) => WRITTEN_KINDS.some((each) => each === kind));
  const told = written.map(({ kind, sourceId }) => `${kind}/${sourceId.toLowerCase()}`);
  const silent = [...links.keys()].filter((key) => told.filter((each) => each === key).length !== 1);
  const there = written.filter(({ status }) => status === "done");
  const targets = there.map(({ targetId = "" }) => targetId.toLowerCase());
  return [
    ...silent.map((key) => `${key} is not told of exactly once`),
    ...there.flatMap((outcome) => checkThere(outcome, log, links)),
    ...targets.filter((id, index) => targets.indexOf(id) !== index).map((id) => `two records are said to be ${id}`),
    ...[...log.live.values()]
      .filter((record) => record.process === log.process() && !targets.includes(record.id))
      .filter(({ name }) => !written.some((outcome) => outcome.name === name && outcome.status !== "done"))
      .map(({ kind, name }) => `${kind} "${name}" was created, and the report does not say so`),
  ];
}

/** A record that is reported as done exists, with its kind, its name and all its links. */
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

function reportOf({ stdout }: ProgramEnd): ReportedRun | undefined {
  try {
    return JSON.parse(stdout) as ReportedRun;
  } catch {
    return undefined;
  }
}
