import { resolve } from "node:path";
import { contextForStack } from "../../core/events.ts";
import { exportForMigration, type MigrationJob } from "../../library/migrate.ts";
import { importFlags, parseImportFlags } from "../import/flags.ts";
import { refuseUnconfirmed, type Session } from "../program/session.ts";
import { stackToReadArgument, stackToWriteArgument } from "../program/flags.ts";
import { archivePath } from "../../library/export-archive.ts";
import { defineCommand } from "../program/define-command.ts";
import { chooseEncryption, createKeySource } from "../inputs/keys.ts";
import { createRunRedactor } from "../inputs/config.ts";
import { lockStack, openClient, resolveStack, toReportedStack } from "../inputs/stack.ts";
import { importWithQuestions } from "../import/run-import.ts";

export const command = defineCommand({
  positionals: {},
  flags: {
    from: stackToReadArgument,
    to: stackToWriteArgument,
    "keep-archive": { writes: true, describe: "Keep the temporary archive at this path" },
    ...importFlags,
  },
  examples: [
    ["migrate --from production --to staging --dry-run", "show what would be done"],
    ["migrate --from production --to staging --keep-archive moved.zip", "migrate, and keep the archive"],
    ["migrate --from production --to staging --on-conflict overwrite", "overwrite what somebody has edited on staging"],
    [
      "migrate --from production --to staging --on-conflict overwrite --mirror",
      "also delete records that production no longer has",
    ],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  run: async ({ from: fromName, to: toName, keepArchive, ...flags }, session) => {
    const request = parseImportFlags(flags);
    refuseUnconfirmed(request, session);
    const from = await resolveStack(fromName, "from", session);
    const to = await resolveStack(toName, "to", session);
    session.runState.from = toReportedStack(from);
    session.runState.to = toReportedStack(to);
    const keep = await placeToKeep(keepArchive, session);
    const [ofSource, ofTarget] = [contextForStack(session, from.stackName), contextForStack(session, to.stackName)];
    await using _lock = await lockStack(to, request, session);
    await using source = openClient(from, ofSource);
    await using client = openClient(to, ofTarget);
    const access = { keep, keys: createKeySource(session), redact: await createRunRedactor(session) };
    await using exported = await exportForMigration({ from, source, to, client, ...access }, session);
    const { reader, early, isWhole } = exported;
    if (keep !== undefined) session.runState.archive = reader.summary;
    const target = { settings: to, client, early, from: from.stackName };
    const result = await importWithQuestions(reader, target, request, ofTarget);
    // After an incomplete export, a finished import gives 3 instead of 0, 6 or 10.
    const isEnd = result.abortedBy === undefined && [0, 6, 10].includes(result.exitCode);
    return isWhole || !isEnd ? result : { ...result, exitCode: 3 };
  },
});

async function placeToKeep(keepArchive: string | undefined, session: Session): Promise<MigrationJob["keep"]> {
  if (keepArchive === undefined) return undefined;
  // The import could not read an archive for another recipient, so there is no `--recipient`.
  const encryption = await chooseEncryption([], session);
  const path = archivePath(resolve(session.io.cwd, keepArchive), encryption);
  return { path, encryption };
}
