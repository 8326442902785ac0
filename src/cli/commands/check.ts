import { checkRepository, type StackCheck } from "../../backup/check.ts";
import type { BackupDependencies } from "../../backup/dependencies.ts";
import type { RepositoryKeyFiles } from "../../config/repositories.ts";
import { parseDuration } from "../../config/time.ts";
import { StackferryError } from "../../core/errors.ts";
import { contextForStack } from "../../core/events.ts";
import { pluralize } from "../../core/text/format.ts";
import type { CommandResult } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { repositoryArgument, signerFlag, stackFilterFlag, type Arguments, type Flags } from "../program/flags.ts";
import { listStoredStacks } from "../../backup/archive-names.ts";
import { resultOfChecks } from "../output/check.ts";
import { acceptNewestArchive } from "../../backup/accept-suspect.ts";
import { defineCommand } from "../program/commands.ts";
import { loadSignerOfFlag } from "../inputs/archive.ts";
import { loadKeysIfGiven } from "../inputs/keys.ts";
import { createBackupDependencies, openRepositoryFor } from "../inputs/repository.ts";
import { configuredStackNames } from "../inputs/stack.ts";
import { refuseStackFolder } from "../inputs/argument.ts";
import type { RestoreTest } from "../restore-test.ts";

const flags = {
  subset: { describe: "Read the newest backups and this share of the others, for instance 5%" },
  all: { type: "boolean", describe: "Require a backup of every configured stack" },
  newest: { type: "boolean", describe: "Read only the newest backup of each stack" },
  "max-age": {
    describe: "Exit 3 if the newest good backup of a stack is older than this, for instance 26h",
  },
  stack: { ...stackFilterFlag, describe: "Only this stack, which must have a backup" },
  "accept-suspect": {
    type: "boolean",
    describe: "With --stack: mark its newest backup as good, although it is suspect",
  },
  signer: { ...signerFlag, describe: "Count only backups whose signature this public key (PEM file) verifies" },
  "restore-test": {
    type: "boolean",
    describe: "Restore the newest good backup of each stack onto a sandbox on this machine",
  },
} as const satisfies Flags;

/**
 * Checks backups for damage and age, and with `--restore-test` restores the newest ones into a sandbox. Only `--accept-suspect`
 * changes the repository.
 */
export const checkCommand = defineCommand({
  positionals: { repository: repositoryArgument },
  flags,
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
    const request = { ...args, maxAgeMs, percent: args.newest ? 0 : percentOf(args.subset) };
    return check(request, session);
  },
});

interface CheckRequest extends Arguments<typeof flags> {
  readonly repository: string;
  /** The share of the older backups to read. */
  readonly percent: number;
  readonly maxAgeMs: number | undefined;
}

async function check(request: CheckRequest, session: Session): Promise<CommandResult> {
  const { maxAgeMs, percent } = request;
  const configured = request.all ? await configuredStackNames(session) : [];
  await using repository = await openRepositoryFor(request.repository, session);
  const signer = await loadSignerOfFlag(request.signer ?? repository.keyFiles.signer, session);
  const listed = request.all ? await listStoredStacks(repository, undefined, session.signal) : [];
  const stored = listed.flatMap(({ stack, archives }) => (archives.length > 0 ? [stack] : []));
  const stacks = request.all ? [...new Set([...configured, ...stored])] : request.stack;
  const dependencies = await createBackupDependencies(repository, session, signer);
  const accepted = request.acceptSuspect ? await acceptNewest(stacks, dependencies, session) : undefined;
  const checks = await checkRepository({ stacks, percent, maxAgeMs, random: Math.random }, dependencies, session);
  if (checks.length === 0) {
    await refuseStackFolder(request.repository, repository, session.signal);
    const hint = "check that this is the right repository, and that the scheduled backups run";
    throw new StackferryError("incomplete", `there is no backup in ${repository.address}`, { hint });
  }
  const hasKeys = await warnOfUnopened(checks, repository.keyFiles, session);
  const restoreTests = request.restoreTest ? await runRestoreTests(checks, dependencies, session) : undefined;
  const { address } = repository;
  return resultOfChecks({ checks, restoreTests, accepted, repository: address, maxAgeMs, hasKeys });
}

/** Accepts the newest backup of each stack. Returns its name by stack; undefined where it was not suspect. */
async function acceptNewest(
  stacks: readonly string[],
  dependencies: BackupDependencies,
  session: Session,
): Promise<ReadonlyMap<string, string | undefined>> {
  const accepted = new Map<string, string | undefined>();
  for (const stack of stacks) accepted.set(stack, await acceptNewestArchive(stack, dependencies, session));
  return accepted;
}

async function runRestoreTests(
  checks: readonly StackCheck[],
  dependencies: BackupDependencies,
  session: Session,
): Promise<RestoreTest[]> {
  const { restoreTest } = await import("../restore-test.ts");
  const restoreTests: RestoreTest[] = [];
  for (const { stack, newestGood } of checks) {
    const { events } = checks.length > 1 ? contextForStack(session, stack) : session;
    events({ type: "phase", phase: `restoring ${stack} onto a sandbox` });
    if (newestGood !== undefined) restoreTests.push(await restoreTest(stack, newestGood, dependencies, session));
    if (checks.length > 1) events({ type: "phase", phase: "restored" });
  }
  return restoreTests;
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
    emitChecksumWarning(checks, session);
    return false;
  }
  const [first = ""] = sealed;
  const which = sealed.length === 1 ? first : `${pluralize(sealed.length, "backup")}, such as ${first}`;
  const message = `no given key opens ${which}: give its key with --identity (several, if a key was replaced)`;
  session.events({ type: "warning", warning: { code: "wrong-key", message } });
  return true;
}

/** Without a key, says once what was not proved. */
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

function percentOf(text: string | undefined): number {
  if (text === undefined) return 100;
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw new StackferryError("usage", "--subset needs a share, for instance 5%");
}
