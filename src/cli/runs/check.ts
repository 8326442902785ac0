import { acceptNewest } from "../../backup/accept-suspect.ts";
import type { StackCheck } from "../../backup/check.ts";
import { checkRepository } from "../../backup/check.ts";
import { storedArchives } from "../../backup/archive-names.ts";
import type { BackupDependencies } from "../../backup/dependencies.ts";
import { StackferryError } from "../../core/errors.ts";
import { forStack } from "../../core/events.ts";
import { printable } from "../../core/text/printable.ts";
import { backupFigures } from "../output/backup.ts";
import { checkText } from "../output/check.ts";
import type { CommandResult } from "../output/document.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { signerOf } from "../wiring/archive-file.ts";
import { backupDependencies } from "../wiring/backup.ts";
import { configuredStacks } from "../wiring/stack.ts";
import { openRepositoryFor } from "../wiring/repository.ts";
import type { RestoreTest } from "../wiring/restore-test.ts";

/** The arguments of `stackferry check`, normalised. */
export interface CheckRequest {
  readonly repository: string;
  /** The names of the stacks; empty means every stack that has backups. */
  readonly stacks: readonly string[];
  /** True to check every configured stack, in addition to those that have backups. */
  readonly includeUnsaved: boolean;
  readonly percent: number;
  readonly maxAgeMs: number | undefined;
  readonly restoreTest: boolean;
  readonly acceptSuspect: boolean;
  /** File of an Ed25519 public key. */
  readonly signer: string | undefined;
}

/**
 * Reads backups, checks their age, and with `--restore-test` restores the newest ones into a sandbox. Only `--accept-suspect`
 * changes the repository.
 */
export async function runCheck(request: CheckRequest, session: Session): Promise<CommandResult> {
  const { percent, maxAgeMs } = request;
  const configured = request.includeUnsaved ? await configuredStacks(session) : [];
  const signer = await signerOf(request.signer, session);
  await using repository = await openRepositoryFor(request.repository, session);
  const stored = request.includeUnsaved ? await storedArchives(repository, undefined, session.signal) : [];
  const stacks = request.includeUnsaved
    ? [...new Set([...configured, ...stored.map(({ stack }) => stack)])]
    : request.stacks;
  const dependencies = await backupDependencies(repository, session, signer);
  const accepted: string[] = [];
  for (const stack of request.acceptSuspect ? stacks : []) {
    const name = await acceptNewest(stack, dependencies, session);
    if (name !== undefined) accepted.push(name);
  }
  const checks = await checkRepository({ stacks, percent, maxAgeMs, random: Math.random }, dependencies, session);
  if (checks.length === 0) {
    const hint = "check the repository, and whether backups run";
    throw new StackferryError("incomplete", `there is no backup in ${repository.address}`, { hint });
  }
  const restoreTests = request.restoreTest ? await runRestoreTests(checks, dependencies, session) : [];
  return {
    exitCode: exitCodeOfChecks(checks, restoreTests),
    text: (display) =>
      acceptedText(accepted) + checkText({ checks, restoreTests, repository: repository.address, maxAgeMs }, display),
    stackEnds: checks.map((check) => ({
      stack: check.stack,
      exitCode: exitCodeOfChecks(
        [check],
        restoreTests.filter(({ stack }) => stack === check.stack),
      ),
      backup: backupFigures(check.state),
    })),
    details: {
      repository: repository.address,
      ...(request.acceptSuspect && { accepted }),
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

/**
 * Returns the exit code of a check: 4 for damage, which takes precedence; 3 if a backup is too old or suspect, or fails its restore
 * test; else 0.
 */
function exitCodeOfChecks(checks: readonly StackCheck[], restoreTests: readonly RestoreTest[]): ExitCode {
  if (checks.some(({ damaged, refused }) => damaged.length + refused.length > 0)) return 4;
  const behind =
    checks.some(({ tooOld, suspect }) => tooOld || suspect.length > 0) || restoreTests.some(({ ok }) => !ok);
  return behind ? 3 : 0;
}
