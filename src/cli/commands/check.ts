import { acceptNewest } from "../../backup/accept.ts";
import type { StackCheck } from "../../backup/check.ts";
import { checkRepository } from "../../backup/check.ts";
import type { BackupDependencies } from "../../backup/dependencies.ts";
import { parseDuration } from "../../config/time.ts";
import { StackferryError } from "../../core/errors.ts";
import { forStack } from "../../core/events.ts";
import { printable } from "../../core/text/printable.ts";
import { ofStack, repositoryArgument } from "../flags/arguments.ts";
import { backupFigures, checkText } from "../output/backup.ts";
import type { CommandResult } from "../output/document.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { signerOf } from "../wiring/archive-file.ts";
import { backupDependencies } from "../wiring/backup.ts";
import { openRepositoryFor } from "../wiring/repository.ts";
import type { RestoreTest } from "../wiring/restore-test.ts";

export const checkCommand = defineCommand("check", {
  positionals: {
    repository: repositoryArgument,
  },
  flags: {
    subset: {
      type: "string",
      requiresArg: true,
      describe: "Read the newest backups and this share of the others, for instance 5%",
    },
    newest: { type: "boolean", describe: "Read only the newest backup of each stack" },
    "max-age": {
      type: "string",
      requiresArg: true,
      describe: "Exit 3 if the newest good backup of a stack is older than this",
    },
    stack: { ...ofStack, describe: "Only this stack, which must have a backup" },
    "accept-shrink": {
      type: "boolean",
      describe: "With --stack: accept its newest backup, which holds much less on purpose",
    },
    signer: {
      type: "string",
      requiresArg: true,
      describe: "Count only backups that were signed with the key whose public half (PEM) is in this file",
    },
    "restore-test": {
      type: "boolean",
      describe: "Restore the newest good backup of each stack onto a sandbox on this machine",
    },
  },
  examples: [
    ["check /var/backups/stacks --newest --max-age 26h", "for a monitor: damaged, suspect or too old?"],
    ["check s3://backups/stacks --subset 5%", "in time, every backup is read"],
    ["check offsite --restore-test", "prove that the newest ones can be restored"],
    ["check offsite --stack production --newest --accept-shrink", "most of it was deleted on purpose"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 130],
  prepare: (args) => {
    const maxAgeMs = args["max-age"] === undefined ? undefined : parseDuration(args["max-age"]);
    if (args["max-age"] !== undefined && maxAgeMs === undefined) {
      throw new StackferryError("usage", "--max-age needs a duration, for instance 26h or 7d");
    }
    if (args.newest === true && args.subset !== undefined) {
      throw new StackferryError("usage", "--newest and --subset exclude each other");
    }
    const acceptShrink = args["accept-shrink"] ?? false;
    if (acceptShrink && (args.stack ?? []).length === 0) {
      throw new StackferryError("usage", "--accept-shrink wants --stack", {
        hint: "look at the backup of each stack before you accept it",
      });
    }
    const request = {
      repository: args.repository,
      stacks: args.stack ?? [],
      percent: args.newest === true ? 0 : percentOf(args.subset),
      maxAgeMs,
      restoreTest: args["restore-test"] ?? false,
      acceptShrink,
      signer: args.signer,
    };
    return (session) => runCheck(request, session);
  },
});

function percentOf(text: string | undefined): number {
  if (text === undefined) return 100;
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw new StackferryError("usage", "--subset needs a share, for instance 5%");
}

/** `stackferry check`, normalised. */
export interface CheckRequest {
  readonly repository: string;
  /** Empty: every stack that has backups. */
  readonly stacks: readonly string[];
  readonly percent: number;
  readonly maxAgeMs: number | undefined;
  readonly restoreTest: boolean;
  readonly acceptShrink: boolean;
  /** File of an Ed25519 public key. */
  readonly signer: string | undefined;
}

/**
 * Reads backups, judges their age, and restores the newest ones onto a sandbox with `--restore-test`. Changes something only
 * with `--accept-shrink`.
 */
export async function runCheck(request: CheckRequest, session: Session): Promise<CommandResult> {
  const { stacks, percent, maxAgeMs } = request;
  const { events, signal } = session;
  const signer = await signerOf(request.signer, session);
  await using repository = await openRepositoryFor(request.repository, session);
  const dependencies = await backupDependencies(repository, session, signer);
  const accepted: string[] = [];
  for (const stack of request.acceptShrink ? stacks : []) {
    const name = await acceptNewest(stack, dependencies, { events, signal });
    if (name !== undefined) accepted.push(name);
  }
  const checks = await checkRepository({ stacks, percent, maxAgeMs, random: Math.random }, dependencies, {
    events,
    signal,
  });
  if (checks.length === 0) {
    const hint = "check the repository, and whether backups run";
    throw new StackferryError("incomplete", `there is no backup in ${repository.address}`, { hint });
  }
  const restoreTests = request.restoreTest ? await runRestoreTests(checks, dependencies, session) : [];
  return {
    exitCode: exitCodeOfChecks(checks, restoreTests),
    text: (display) => acceptedText(accepted) + checkText(checks, restoreTests, repository.address, display),
    stackEnds: checks.map((check) => ({
      stack: check.stack,
      exitCode: exitCodeOfChecks(
        [check],
        restoreTests.filter(({ stack }) => stack === check.stack),
      ),
      backup: backupFigures(check.state),
    })),
    extra: {
      repository: repository.address,
      ...(request.acceptShrink && { accepted }),
      stacks: checks.map(({ state: _state, ...check }) => check),
      ...(request.restoreTest && { restoreTests }),
    },
  };
}

async function runRestoreTests(
  checks: readonly StackCheck[],
  dependencies: BackupDependencies,
  session: Session,
): Promise<RestoreTest[]> {
  // The sandbox is loaded only with `--restore-test`.
  const { restoreTest } = await import("../wiring/restore-test.ts");
  const restoreTests: RestoreTest[] = [];
  for (const { stack, newestGood } of checks) {
    const { events } = checks.length > 1 ? forStack(session, stack) : session;
    events({ type: "phase", phase: `restoring ${stack} onto a sandbox` });
    if (newestGood !== undefined) restoreTests.push(await restoreTest(stack, newestGood, dependencies, session));
    if (checks.length > 1) events({ type: "phase", phase: "restored" });
  }
  return restoreTests;
}

function acceptedText(accepted: readonly string[]): string {
  return accepted.map((name) => `${printable(name)} is accepted as good from now on\n`).join("");
}

/** Damage weighs more than age: 4 before 3. */
function exitCodeOfChecks(checks: readonly StackCheck[], restoreTests: readonly RestoreTest[]): ExitCode {
  if (checks.some(({ damaged, refused }) => damaged.length + refused.length > 0)) return 4;
  const behind =
    checks.some(({ tooOld, suspect }) => tooOld || suspect.length > 0) || restoreTests.some(({ ok }) => !ok);
  return behind ? 3 : 0;
}
