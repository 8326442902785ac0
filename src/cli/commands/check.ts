import type { BackupResult } from "../../backup/backup.ts";
import { countChanges } from "../../backup/changes.ts";
import {
  acceptNewestArchive,
  checkRepository,
  isKeyWrong,
  type CheckProof,
  type StackCheck,
} from "../../backup/check.ts";
import type { BackupContext } from "../../backup/backup-context.ts";
import type { RepositoryKeyFiles } from "../../config/repositories.ts";
import { parseDuration } from "../../config/time.ts";
import { StackferryError } from "../../core/errors.ts";
import { contextForStack } from "../../core/events.ts";
import type { Warning } from "../../core/outcome.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import { pluralize, quoteShellWord } from "../../core/text/format.ts";
import { errorMembers, type CommandResult } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { repositoryArgument, signerFlag, stackFilterFlag } from "../program/flags.ts";
import { listStoredStacks } from "../../backup/archive-names.ts";
import { printableText } from "../../core/text/printable.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import { exitCodeOfError, sharedExitCode, type ExitCode } from "../program/exit-codes.ts";
import { renderTable, type Cell } from "../output/table.ts";
import { problemLine, type OutputOptions } from "../output/terminal.ts";
import type { BackupSummary } from "../../backup/history.ts";
import type { BackupFigures } from "../../telemetry/channel.ts";
import { defineCommand } from "../program/define-command.ts";
import { loadSignerOfFlag, openStored } from "../inputs/archive.ts";
import { loadKeysIfGiven } from "../inputs/keys.ts";
import { createBackupContext, openRepositoryFor } from "../inputs/repository.ts";
import { configuredStackNames } from "../inputs/stack.ts";
import { refuseStackFolder } from "../inputs/argument.ts";
import type { RestoreTest } from "../restore-test.ts";

/** Changes the repository only with `--accept-suspect`, and to complete an unfinished backup. */
export const command = defineCommand({
  positionals: { repository: repositoryArgument },
  flags: {
    subset: { describe: "Read the newest backups and this share of the others, for instance 5%" },
    all: { type: "boolean", conflicts: ["stack"], describe: "Require a backup of every configured stack" },
    newest: { type: "boolean", conflicts: ["subset"], describe: "Read only the newest backup of each stack" },
    "max-age": {
      describe: "Exit 3 if the newest good backup of a stack is older than this, for instance 26h",
    },
    stack: { ...stackFilterFlag, describe: "Only this stack, which must have a backup" },
    "accept-suspect": {
      type: "boolean",
      implies: "stack",
      describe: "With --stack: mark its newest backup as good, although it is suspect",
    },
    signer: { ...signerFlag, describe: "Count only backups whose signature this public key (PEM file) verifies" },
    "restore-test": {
      type: "boolean",
      describe: "Restore the newest good backup of each stack onto a sandbox on this machine",
    },
  },
  examples: [
    ["check /var/backups/stacks --all --newest --max-age 26h", "for a monitor: damaged, suspect or too old?"],
    ["check s3://backups/stacks --subset 5%", "read 5% of the older backups in each run, and so all of them in time"],
    ["check offsite --restore-test", "prove that the newest ones can be restored"],
    [
      "check offsite --stack production --newest --accept-suspect",
      "accept a small backup, because most records were deleted on purpose",
    ],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  run: async (args, session) => {
    const maxAgeMs = args.maxAge === undefined ? undefined : parseDuration(args.maxAge);
    if (args.maxAge !== undefined && maxAgeMs === undefined) {
      throw new StackferryError("usage", "--max-age needs a duration, for instance 26h or 7d");
    }
    const percent = args.newest ? 0 : percentOf(args.subset);
    const configured = args.all ? await configuredStackNames(session) : [];
    await using repository = await openRepositoryFor(args.repository, session);
    const { address, keyFiles } = repository;
    const signer = await loadSignerOfFlag(args.signer ?? keyFiles.signer, session);
    const listed = args.all ? await listStoredStacks(repository, undefined, session.signal) : [];
    const stored = listed.flatMap(({ stack, archives }) => (archives.length > 0 ? [stack] : []));
    const stacks = args.all ? [...new Set([...configured, ...stored])] : args.stack;
    const context = await createBackupContext(repository, session, signer);
    const accepted = args.acceptSuspect ? await acceptNewest(stacks, context) : undefined;
    const checks = await checkRepository({ stacks, percent, maxAgeMs, random: Math.random }, context);
    if (checks.length === 0) {
      await refuseStackFolder(args.repository, repository, session.signal);
      const hint = "check that this is the right repository, and that the scheduled backups run";
      throw new StackferryError("incomplete", `there is no backup in ${address}`, { hint });
    }
    const hasKeys = await warnOfUnopened(checks, keyFiles, session);
    const openBackup = (name: string): Promise<ArchiveReader> => openStored(repository, name, name, session, signer);
    const restoreTests = args.restoreTest ? await runRestoreTests(checks, openBackup, session) : undefined;
    return resultOfChecks({ checks, restoreTests, accepted, repository: address, maxAgeMs, hasKeys });
  },
});

async function acceptNewest(stacks: readonly string[], context: BackupContext): Promise<string[]> {
  const accepted: string[] = [];
  for (const stack of stacks) {
    const name = await acceptNewestArchive(stack, context);
    if (name !== undefined) accepted.push(name);
  }
  return accepted;
}

async function runRestoreTests(
  checks: readonly StackCheck[],
  openBackup: (archive: string) => Promise<ArchiveReader>,
  session: Session,
): Promise<RestoreTest[]> {
  const { restoreTest } = await import("../restore-test.ts");
  const restoreTests: RestoreTest[] = [];
  for (const { stack, newestGood } of checks) {
    const { events } = checks.length > 1 ? contextForStack(session, stack) : session;
    events({ type: "phase", phase: `restoring ${stack} onto a sandbox` });
    if (newestGood !== undefined) restoreTests.push(await restoreTest(stack, newestGood, openBackup, session));
    if (checks.length > 1) events({ type: "phase", phase: "restored" });
  }
  return restoreTests;
}

async function warnOfUnopened(
  checks: readonly StackCheck[],
  keyFiles: RepositoryKeyFiles,
  session: Session,
): Promise<boolean> {
  const sealed = checks.flatMap((check) => check.sealed);
  const [first] = sealed;
  if (first === undefined) return false;
  const which = sealed.length === 1 ? first : `${pluralize(sealed.length, "backup")}, such as ${first}`;
  const hasKeys = await loadKeysIfGiven(session, keyFiles);
  const warning: Warning = hasKeys
    ? {
        code: "wrong-key",
        message: `no given key opens ${which}: give its key with --identity (several, if a key was replaced)`,
      }
    : {
        code: "checksum-only",
        message: `of ${which}, at most the checksum was compared: give a key with --identity to prove more`,
      };
  session.events({ type: "warning", warning });
  return hasKeys;
}

function percentOf(text: string | undefined): number {
  if (text === undefined) return 100;
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw new StackferryError("usage", "--subset needs a share, for instance 5%");
}

interface CheckFindings {
  readonly checks: readonly StackCheck[];
  readonly restoreTests: readonly RestoreTest[] | undefined;
  readonly accepted: readonly string[] | undefined;
  readonly repository: string;
  readonly maxAgeMs: number | undefined;
  /** True if keys were given, and some backup cannot be opened with them. */
  readonly hasKeys: boolean;
}

function resultOfChecks(findings: CheckFindings): CommandResult {
  const { checks, restoreTests, accepted, repository, hasKeys } = findings;
  const exitCodeOf = (some: readonly StackCheck[]): ExitCode => {
    const tests = restoreTests?.filter(({ stack }) => some.some((check) => check.stack === stack));
    return exitCodeOfChecks(some, tests ?? [], hasKeys);
  };
  return {
    exitCode: exitCodeOf(checks),
    text: (display) => (accepted === undefined ? "" : acceptedText(accepted)) + checkResultText(findings, display),
    stackEnds: checks.map((check) => ({
      stack: check.stack,
      exitCode: exitCodeOf([check]),
      ...(check.error === undefined && { backup: backupFigures(check.summary) }),
    })),
    details: {
      repository,
      accepted,
      stacks: checks.map(({ summary: _summary, ...check }) => withErrorMembers(check)),
      restoreTests: restoreTests?.map(withErrorMembers),
    },
  };
}

function withErrorMembers({ error, ...rest }: { readonly error?: StackferryError }) {
  return { ...rest, error: error && errorMembers(error) };
}

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

function acceptedText(accepted: readonly string[]): string {
  if (accepted.length === 0) return "there is nothing to accept: no newest backup is suspect\n";
  return accepted.map((name) => `${printableText(name)} is accepted as good from now on\n`).join("");
}

function checkResultText(
  { checks, restoreTests = [], repository, maxAgeMs }: CheckFindings,
  display: OutputOptions,
): string {
  const { theme } = display;
  const rows = checks.map((check): Cell[] => {
    const { stack, archives, checked, newestGood = "", proof, ageMs, tooOld } = check;
    const bad = check.damaged.length + check.refused.length;
    return [
      stack,
      String(archives),
      String(checked),
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

function lateText({ stack, archives, suspect, sealed, ageMs: age }: StackCheck, maxAgeMs = 0): string {
  const unusable = sealed.length > 0 ? "no backup that a given key opens" : "no usable backup";
  const none = archives === 0 ? "no backup" : suspect.length > 0 ? "no good backup, only suspect ones" : unusable;
  const problem =
    age === undefined ? none : `the newest good backup is ${ageText(age)} old, the limit is ${ageText(maxAgeMs)}`;
  return `${stack}: ${problem}`;
}

/** Undefined for a stack with suspect backups, because `acceptHint` says what to do. */
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
  const distinct = new Set(differences.map(({ message, pointer = "" }) => `${message} ${pointer}`.trim()));
  const lines = [
    ...unread.map(
      ({ kind, code = "", message }) => `the backup lacks ${pluralOf(kind)}: ${`${code} ${message}`.trim()}`,
    ),
    ...problems.map(({ kind, name, code = "", message = "" }) => `${kind} "${name}": ${code} ${message}`),
    ...standIns.map(({ message }) => `~ ${message}`),
    ...[...distinct].map((difference) => `~ ${difference}`),
  ];
  const summary = [
    `made ${pluralize(created, "record")}`,
    `${problems.length} not restored`,
    ...(distinct.size === 0 ? [] : [`${pluralize(distinct.size, "difference")} from the stack`]),
    ...(standIns.length === 0 ? [] : [`${pluralize(standIns.length, "stand-in")} for what the backup lacks`]),
  ];
  return `${head} ${summary.join(", ")}\n${lines.map((line) => `  ${printableText(line)}\n`).join("")}`;
}

function ageText(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 1) return `${Math.max(0, Math.round(ms / 60_000))} min`;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} d`;
}

export function acceptHint(stack: string, repository: string): string {
  const [place, name] = [quoteShellWord(repository), quoteShellWord(stack)];
  const command = `stackferry check ${place} --stack ${name} --newest --accept-suspect`;
  return `check the stack, its address and its keys; if this is on purpose: ${command}`;
}

/** @param backup undefined for a check or a failed run */
export function backupFigures(state: BackupSummary, backup?: Pick<BackupResult, "changes" | "records">): BackupFigures {
  const changed = backup?.changes?.records;
  const { archives, suspect, records, bytes, goodAt, ageMs } = state;
  return {
    archives,
    suspect,
    records,
    bytes,
    ...(changed !== undefined && { changes: countChanges(changed, Object.keys(backup?.records ?? {})) }),
    ...(ageMs !== undefined && { newestGoodAgeSeconds: ageMs / 1000 }),
    ...(goodAt !== undefined && { newestGoodAt: goodAt / 1000 }),
  };
}
