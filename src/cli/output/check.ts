import { isKeyWrong, type CheckProof, type StackCheck } from "../../backup/check.ts";
import type { StackferryError } from "../../core/errors.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import { exitCodeOfError, sharedExitCode, type ExitCode } from "../program/exit-codes.ts";
import { acceptHint, backupFigures } from "./backup.ts";
import { errorMembers, type CommandResult } from "./document.ts";
import { renderTable, type Cell } from "./table.ts";
import { problemLine, type OutputOptions } from "./terminal.ts";
import type { RestoreTest } from "../restore-test.ts";

/** The findings of a check: the repository's stacks and the restore tests. */
interface CheckFindings {
  readonly checks: readonly StackCheck[];
  /** Undefined without `--restore-test`. */
  readonly restoreTests: readonly RestoreTest[] | undefined;
  /** With `--accept-suspect`: the accepted archive of each stack; undefined if there was nothing to accept. */
  readonly accepted: ReadonlyMap<string, string | undefined> | undefined;
  readonly repository: string;
  /** Maximum age of the newest good backup of a stack, in milliseconds. */
  readonly maxAgeMs: number | undefined;
  /** True if keys were given although they do not open every backup. */
  readonly hasKeys: boolean;
}

/** Returns the result of a check: exit code, text, and the figures for notifications. */
export function resultOfChecks(findings: CheckFindings): CommandResult {
  const { checks, restoreTests, accepted, repository, hasKeys } = findings;
  const exitCodeOf = (some: readonly StackCheck[]): ExitCode => {
    const tests = restoreTests?.filter(({ stack }) => some.some((check) => check.stack === stack));
    return exitCodeOfChecks(some, tests ?? [], hasKeys);
  };
  return {
    exitCode: exitCodeOf(checks),
    text: (display) => acceptedText(accepted ?? new Map(), checks) + checkResultText(findings, display),
    stackEnds: checks.map((check) => ({
      stack: check.stack,
      exitCode: exitCodeOf([check]),
      ...(check.error === undefined && { backup: backupFigures(check.summary) }),
    })),
    details: {
      repository,
      ...(accepted !== undefined && { accepted: [...accepted.values()].filter((name) => name !== undefined) }),
      stacks: checks.map(({ summary: _summary, ...check }) => withErrorMembers(check)),
      ...(restoreTests !== undefined && { restoreTests: restoreTests.map(withErrorMembers) }),
    },
  };
}

function withErrorMembers({ error, ...rest }: { readonly error?: StackferryError }) {
  return error === undefined ? rest : { ...rest, error: errorMembers(error) };
}

/**
 * Returns 4 for damage, and for a stack whose backups the given keys do not open. Otherwise, if a stack could not be checked, returns
 * the code of its error, or 3 if another stack could be checked. Otherwise returns the code that all restore tests share, or 3 if they
 * differ. If all of them succeeded, returns 3 if a backup is too old or suspect, else 0.
 */
function exitCodeOfChecks(
  checks: readonly StackCheck[],
  restoreTests: readonly RestoreTest[],
  hasKeys: boolean,
): ExitCode {
  if (checks.some(({ damaged, refused }) => damaged.length + refused.length > 0)) return 4;
  if (hasKeys && checks.some(isKeyWrong)) return 4;
  const failed = sharedExitCode(checks.map(({ error }) => (error === undefined ? 0 : exitCodeOfError(error))));
  if (failed !== 0) return failed;
  const tested = sharedExitCode(
    restoreTests.map(({ ok, error }) => (error === undefined ? (ok ? 0 : 3) : exitCodeOfError(error))),
  );
  const behind = checks.some(({ tooOld, suspect }) => tooOld || suspect.length > 0);
  return tested === 0 && behind ? 3 : tested;
}

function acceptedText(accepted: ReadonlyMap<string, string | undefined>, checks: readonly StackCheck[]): string {
  const lines = checks.flatMap(({ stack, archives }) => {
    const name = accepted.get(stack);
    if (name !== undefined) return [`${name} is accepted as good from now on`];
    const isNeedless = accepted.has(stack) && archives > 0;
    return isNeedless ? [`there is nothing to accept: the newest backup of ${stack} is not suspect`] : [];
  });
  return lines.map((line) => `${printableText(line)}\n`).join("");
}

/** Renders the result of a check: a row for each stack and a line for each problem. */
function checkResultText(
  { checks, restoreTests = [], repository, maxAgeMs }: CheckFindings,
  display: OutputOptions,
): string {
  const { theme } = display;
  const rows = checks.map((check): Cell[] => {
    const { stack, archives, checked, encrypted, newestGood = "", proof, ageMs, tooOld } = check;
    const bad = check.damaged.length + check.refused.length;
    return [
      stack,
      String(archives),
      String(checked - encrypted),
      { text: String(bad), paint: bad > 0 ? theme.bad : theme.good },
      { text: ageMs === undefined ? "none" : ageText(ageMs), paint: tooOld ? theme.bad : theme.good },
      proof === undefined ? newestGood : `${newestGood} (${proofText(proof)})`,
    ];
  });
  const columns = [
    "STACK",
    { right: "BACKUPS" },
    { right: "READ" },
    { right: "DAMAGED" },
    { right: "AGE" },
    { below: "NEWEST GOOD" },
  ];
  const damaged = checks.flatMap((check) => [...check.damaged, ...check.refused]);
  const problems = damaged.map(({ archive, problem }) => problemLine(`${archive}: ${problem}`, undefined, theme));
  const late = checks
    .filter(({ tooOld, error }) => tooOld && error === undefined)
    .map((check) => problemLine(lateText(check, maxAgeMs), lateHint(check), theme));
  return [
    renderTable({ columns, rows }, display),
    ...problems,
    checks.some((check) => check.damaged.length > 0) ? "  use another copy of a damaged backup, if there is one\n" : "",
    ...checks.flatMap(({ stack, error }) =>
      error ? problemLine(`${stack}: ${error.message}`, error.hint, theme) : [],
    ),
    ...checks.flatMap((check) => suspectChecks(check, repository, display)),
    ...late,
    ...restoreTests.map((restoreTest) => restoreTestText(restoreTest, display)),
  ].join("");
}

function suspectChecks({ stack, suspect }: StackCheck, repository: string, { theme }: OutputOptions): string[] {
  if (suspect.length === 0) return [];
  const lines = suspect.map(({ archive, problem }) =>
    problemLine(`${archive} is suspect: ${problem}`, undefined, theme),
  );
  return [...lines, `  ${printableText(acceptHint(stack, repository))}\n`];
}

/** Describes a stack without a recent backup: `production: the newest good backup is 3.0 d old, the limit is 26.0 h`. */
function lateText({ stack, archives, suspect, sealed, ageMs: age }: StackCheck, maxAgeMs = 0): string {
  const unusable = sealed.length > 0 ? "no backup that a given key opens" : "no usable backup";
  const none = archives === 0 ? "no backup" : suspect.length > 0 ? "no good backup, only suspect ones" : unusable;
  const problem =
    age === undefined ? none : `the newest good backup is ${ageText(age)} old, the limit is ${ageText(maxAgeMs)}`;
  return `${stack}: ${problem}`;
}

/** Returns the next step for a stack without a recent good backup; none where the run has backups that it does not count. */
function lateHint({ archives, suspect, sealed, ageMs }: StackCheck): string | undefined {
  if (suspect.length > 0) return undefined;
  if (sealed.length > 0 && ageMs === undefined) return "give the key with --identity or --passphrase-file";
  return archives === 0 ? "check that it is backed up here" : "check that the scheduled backups run";
}

const PROOFS: Readonly<Record<CheckProof["read"], string>> = {
  plain: "records read",
  decrypted: "decrypted",
  checksum: "only checksum",
};

function proofText({ read, isSigned }: CheckProof): string {
  return isSigned ? `${PROOFS[read]}, signature good` : PROOFS[read];
}

function restoreTestText(
  { stack, archive, ok, counts, problems, differences, standIns, unread, error }: RestoreTest,
  { theme }: OutputOptions,
): string {
  if (error !== undefined) {
    return problemLine(`${stack}: restoring ${archive} onto a sandbox: ${error.message}`, error.hint, theme);
  }
  const created = counts["create"] ?? 0;
  const head = `${ok ? theme.good("✓") : theme.bad("✗")} ${printableText(`${stack}: restoring ${archive} onto a sandbox`)}`;
  const lines = problems.map(({ kind, name, code, message }) => {
    return `  ${printableText(`${kind} "${name}": ${code ?? ""} ${message ?? ""}`)}\n`;
  });
  const lacking = unread.map(
    ({ kind, code, message }) =>
      `  ${printableText(`the backup lacks ${pluralOf(kind)}: ${code === undefined ? "" : `${code} `}${message}`)}\n`,
  );
  const distinct = new Map(differences.map(({ message, pointer }) => [`${message} ${pointer}`, { message, pointer }]));
  const others = [...distinct.values()].map(
    ({ message, pointer = "" }) => `  ~ ${printableText(`${message} ${pointer}`.trim())}\n`,
  );
  const replaced = standIns.map(({ message }) => `  ~ ${printableText(message)}\n`);
  const summary = [
    `made ${pluralize(created, "record")}`,
    `${problems.length} not restored`,
    ...(others.length === 0 ? [] : [`${pluralize(others.length, "difference")} from the stack`]),
    ...(replaced.length === 0 ? [] : [`${pluralize(replaced.length, "stand-in")} for what the backup lacks`]),
  ];
  return [`${head} ${summary.join(", ")}\n`, ...lacking, ...lines, ...replaced, ...others].join("");
}

function ageText(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 1) return `${Math.max(0, Math.round(ms / 60_000))} min`;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} d`;
}
