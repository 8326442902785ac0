import { acceptNewestArchive } from "../../backup/accept-suspect.ts";
import { listStoredArchives } from "../../backup/archive-names.ts";
import { checkRepository, isKeyWrong, type CheckProof, type StackCheck } from "../../backup/check.ts";
import type { BackupDependencies } from "../../backup/dependencies.ts";
import type { RepositoryKeyFiles } from "../../config/repositories.ts";
import { parseDuration } from "../../config/time.ts";
import { StackferryError } from "../../core/errors.ts";
import { contextForStack } from "../../core/events.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import { acceptHint, backupFigures } from "../output/backup.ts";
import { errorMembers } from "../output/document.ts";
import { renderTable, type Cell } from "../output/table.ts";
import { problemLine, type OutputOptions } from "../output/terminal.ts";
import { exitCodeOfError, sharedExitCode, type ExitCode } from "../program/exit-codes.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import type { Session } from "../program/session.ts";
import { loadSignerOfFlag } from "../wiring/archive-file.ts";
import { loadKeysIfGiven } from "../wiring/archive-keys.ts";
import { refuseStackFolder } from "../wiring/named-input.ts";
import { createBackupDependencies } from "../wiring/backup.ts";
import { openRepositoryFor } from "../wiring/repository.ts";
import type { RestoreTest } from "../wiring/restore-test.ts";
import { configuredStackNames } from "../wiring/stack.ts";

/**
 * Checks backups for damage and age, and with `--restore-test` restores the newest ones into a sandbox. Only `--accept-suspect`
 * changes the repository.
 */
export const checkCommand = defineCommand("check", {
  prepare: (args) => {
    const maxAgeMs = args.maxAge === undefined ? undefined : parseDuration(args.maxAge);
    if (args.maxAge !== undefined && maxAgeMs === undefined) {
      throw new StackferryError("usage", "--max-age needs a duration, for instance 26h or 7d");
    }
    if (args.newest && args.subset !== undefined) {
      throw new StackferryError("usage", "--newest and --subset exclude each other");
    }
    if (args.all && args.stack.length > 0) {
      throw new StackferryError("usage", "--all and --stack exclude each other");
    }
    if (args.acceptSuspect && args.stack.length === 0) {
      throw new StackferryError("usage", "--accept-suspect needs --stack", {
        hint: "look at the backup of each stack before you accept it",
      });
    }
    return { ...args, percent: args.newest ? 0 : percentOf(args.subset), maxAgeMs };
  },
  run: async (request, session) => {
    const { percent, maxAgeMs } = request;
    const configured = request.all ? await configuredStackNames(session) : [];
    await using repository = await openRepositoryFor(request.repository, session);
    const signer = await loadSignerOfFlag(request.signer ?? repository.keyFiles.signer, session);
    const stored = request.all ? await listStoredArchives(repository, undefined, session.signal) : [];
    const forgotten = new Set(stored.map(({ stack }) => stack).filter((stack) => !configured.includes(stack)));
    const stacks = request.all ? [...new Set([...configured, ...stored.map(({ stack }) => stack)])] : request.stack;
    const dependencies = await createBackupDependencies(repository, session, signer);
    const accepted = new Map<string, string | undefined>();
    for (const stack of request.acceptSuspect ? stacks : []) {
      accepted.set(stack, await acceptNewestArchive(stack, dependencies, session));
    }
    const checks = await checkRepository({ stacks, percent, maxAgeMs, random: Math.random }, dependencies, session);
    if (checks.length === 0) {
      await refuseStackFolder(request.repository, repository, "check", session);
      const hint = "check that this is the right repository, and that the scheduled backups run";
      throw new StackferryError("incomplete", `there is no backup in ${repository.address}`, { hint });
    }
    const hasKeys = await warnOfUnopened(checks, repository.keyFiles, session);
    const restoreTests = request.restoreTest ? await runRestoreTests(checks, dependencies, session) : [];
    return {
      exitCode: exitCodeOfChecks(checks, restoreTests, hasKeys),
      text: (display) =>
        acceptedText(accepted, checks) +
        checkResultText({ checks, restoreTests, repository: repository.address, maxAgeMs, forgotten }, display),
      stackEnds: checks.map((check) => ({
        stack: check.stack,
        exitCode: exitCodeOfChecks(
          [check],
          restoreTests.filter(({ stack }) => stack === check.stack),
          hasKeys,
        ),
        ...(check.error === undefined && { backup: backupFigures(check.summary) }),
      })),
      details: {
        repository: repository.address,
        ...(request.acceptSuspect && { accepted: [...accepted.values()].filter((name) => name !== undefined) }),
        stacks: checks.map(({ summary: _summary, ...check }) => withErrorMembers(check)),
        ...(request.restoreTest && { restoreTests: restoreTests.map(withErrorMembers) }),
      },
    };
  },
});

async function runRestoreTests(
  checks: readonly StackCheck[],
  dependencies: BackupDependencies,
  session: Session,
): Promise<RestoreTest[]> {
  // The sandbox is loaded only with `--restore-test`.
  const { restoreTest } = await import("../wiring/restore-test.ts");
  const restoreTests: RestoreTest[] = [];
  for (const { stack, newestGood } of checks) {
    const { events } = checks.length > 1 ? contextForStack(session, stack) : session;
    events({ type: "phase", phase: `restoring ${stack} onto a sandbox` });
    if (newestGood !== undefined) restoreTests.push(await restoreTest(stack, newestGood, dependencies, session));
    if (checks.length > 1) events({ type: "phase", phase: "restored" });
  }
  return restoreTests;
}

function withErrorMembers({ error, ...rest }: { readonly error?: StackferryError }) {
  return error === undefined ? rest : { ...rest, error: errorMembers(error) };
}

/** @param accepted the accepted archive of each stack; undefined if there was nothing to accept */
function acceptedText(accepted: ReadonlyMap<string, string | undefined>, checks: readonly StackCheck[]): string {
  const lines = checks.flatMap(({ stack, archives }) => {
    const name = accepted.get(stack);
    if (name !== undefined) return [`${name} is accepted as good from now on`];
    const isNeedless = accepted.has(stack) && archives > 0;
    return isNeedless ? [`there is nothing to accept: the newest backup of ${stack} is not suspect`] : [];
  });
  return lines.map((line) => `${printableText(line)}\n`).join("");
}

/** Warns of encrypted backups that no key opened. Returns true if keys were given although they do not open every backup. */
async function warnOfUnopened(
  checks: readonly StackCheck[],
  keyFiles: RepositoryKeyFiles,
  session: Session,
): Promise<boolean> {
  const sealed = checks.flatMap((check) => check.sealed);
  if (sealed.length === 0) return false;
  if (!(await loadKeysIfGiven(session, keyFiles))) {
    if (session.globals.quiet) emitChecksumWarning(checks, session);
    return false;
  }
  if (checks.some(({ opened }) => opened > 0)) for (const check of checks) emitSealedWarnings(check, session);
  else emitKeyWarning(`any of the ${pluralize(sealed.length, "encrypted backup")} that were read`, session);
  return true;
}

/** Warns of a stack's backups that no key opens, although a key opens other backups. */
function emitSealedWarnings(check: StackCheck, session: Session): void {
  const { stack, sealed, newestGood = "" } = check;
  const [newest] = sealed;
  if (newest === undefined) return;
  if (isKeyWrong(check))
    return emitKeyWarning(newest >= newestGood ? `${newest}, the newest backup of ${stack}` : newest, session);
  const which =
    sealed.length === 1 ? newest : `${pluralize(sealed.length, "older backup")} of ${stack}, such as ${newest}`;
  emitKeyWarning(which, session, "if its key was replaced, give both with --identity");
}

function emitKeyWarning(
  backups: string,
  { events }: Session,
  advice = "give the right key, or none to compare only checksums",
): void {
  const message = `no given key opens ${backups}: ${advice}`;
  events({ type: "warning", warning: { code: "wrong-key", message } });
}

/** With `--quiet` and without a key, says once what was not proved. The result, which is not printed, says it otherwise. */
function emitChecksumWarning(checks: readonly StackCheck[], { events }: Session): void {
  const [compared, unread] = [sumOf(checks, "byChecksum"), sumOf(checks, "encrypted")];
  const parts = [
    compared === 0 ? "" : `of ${pluralize(compared, "encrypted backup")} only the checksum was compared`,
    unread === 0 ? "" : `${pluralize(unread, "encrypted backup")} not read`,
  ].filter((part) => part !== "");
  const message = `${parts.join(", ")}: give a key with --identity to prove more`;
  events({ type: "warning", warning: { code: "checksum-only", message } });
}

function sumOf(checks: readonly StackCheck[], member: "byChecksum" | "encrypted"): number {
  return checks.reduce((sum, check) => sum + check[member], 0);
}

/**
 * Returns 4 for damage, and for a stack whose backups the given keys do not open. Otherwise, if a stack could not be checked, returns the code of its error, or 3 if another
 * stack could be checked. Otherwise returns the code that all restore tests share, or 3 if they differ. If all of them succeeded,
 * returns 3 if a backup is too old or suspect, else 0.
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

function percentOf(text: string | undefined): number {
  if (text === undefined) return 100;
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw new StackferryError("usage", "--subset needs a share, for instance 5%");
}

interface CheckResult {
  readonly checks: readonly StackCheck[];
  readonly restoreTests: readonly RestoreTest[];
  readonly repository: string;
  /** Maximum age of the newest good backup of a stack, in milliseconds. */
  readonly maxAgeMs: number | undefined;
  /** With `--all`: the stacks that have backups and are not in the configuration. */
  readonly forgotten: ReadonlySet<string>;
}

/** Renders the result of a check: a row for each stack and a line for each problem. */
function checkResultText(
  { checks, restoreTests, repository, maxAgeMs, forgotten }: CheckResult,
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
  const encrypted = checks.reduce((sum, check) => sum + check.encrypted, 0);
  const byChecksum = checks.reduce((sum, check) => sum + check.byChecksum, 0);
  const notices = [
    encrypted === 0 ? "" : `${encrypted} encrypted, not read: give a key with --identity\n`,
    byChecksum === 0 ? "" : `${byChecksum} encrypted, only the checksum compared: give the key to read them\n`,
  ].map((notice) => (notice === "" ? "" : theme.notice(notice)));
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
    ...notices,
    ...late,
    ...checks.flatMap((check) => (forgotten.has(check.stack) ? forgottenText(check, repository) : [])),
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

/** Says how to end the check of a stack that nobody backs up any more; nothing if its backups are as they should be. */
function forgottenText({ stack, suspect, tooOld }: StackCheck, repository: string): string[] {
  if (suspect.length === 0 && !tooOld) return [];
  const folder = `${repository.replace(/\/$/, "")}/${stack}`;
  return [`  ${printableText(`${stack} is not in the configuration: to forget it, delete its folder ${folder}`)}\n`];
}

/** Describes a stack without a recent backup: `production: the newest good backup is 3.0 d old, the limit is 26.0 h`. */
function lateText({ stack, archives, suspect, ageMs: age }: StackCheck, maxAgeMs = 0): string {
  const none =
    archives === 0 ? "no backup" : suspect.length > 0 ? "no good backup, only suspect ones" : "no usable backup";
  const problem =
    age === undefined ? none : `the newest good backup is ${ageText(age)} old, the limit is ${ageText(maxAgeMs)}`;
  return `${stack}: ${problem}`;
}

/** Returns the next step for a stack without a recent good backup; none where the run has backups that it does not count. */
function lateHint({ archives, suspect }: StackCheck): string | undefined {
  if (suspect.length > 0) return undefined;
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
