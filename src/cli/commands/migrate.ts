import { defineCommand } from "../program/parse/define-command.ts";
import { resolve } from "node:path";
import { contextForStack } from "../../core/events.ts";
import { archivePath } from "../../library/export-archive.ts";
import { exportForMigration, type MigrationJob } from "../../library/migrate.ts";
import { parseImportFlags } from "../flags/import.ts";
import { importWithQuestions } from "../import/import-with-questions.ts";
import type { Session } from "../program/session.ts";
import { refuseUnconfirmed } from "../prompts/confirm.ts";
import { chooseEncryption, createKeySource } from "../wiring/archive-keys.ts";
import { createRunRedactor } from "../wiring/config.ts";
import { lockStack, openClient, toReportedStack, resolveStack } from "../wiring/stack.ts";

/** Exports one stack and imports it into another. The archive is kept only with `--keep-archive`. */
export const migrateCommand = defineCommand("migrate", {
  prepare: ({ from, to, keepArchive, ...flags }) => ({ from, to, keepArchive, ...parseImportFlags(flags) }),
  run: async (request, session) => {
    refuseUnconfirmed(request, session);
    const from = await resolveStack(request.from, "from", session);
    const to = await resolveStack(request.to, "to", session);
    session.runState.from = toReportedStack(from);
    session.runState.to = toReportedStack(to);
    const keep = await placeToKeep(request.keepArchive, session);
    const [ofSource, ofTarget] = [contextForStack(session, from.stackName), contextForStack(session, to.stackName)];
    await using _lock = await lockStack(to, request, session);
    await using source = openClient(from, ofSource);
    await using client = openClient(to, ofTarget);
    const access = { keep, keys: createKeySource(session), redact: await createRunRedactor(session) };
    await using exported = await exportForMigration({ from, source, to, client, ...access }, session);
    const { reader, early, isWhole } = exported;
    if (keep !== undefined) session.runState.archive = reader.summary;
    const result = await importWithQuestions(
      reader,
      { settings: to, client, early, from: from.stackName },
      request,
      ofTarget,
    );
    // A run that its last error ended keeps the exit code of that error.
    const isEnd = result.abortedBy === undefined && [0, 6, 10].includes(result.exitCode);
    return isWhole || !isEnd ? result : { ...result, exitCode: 3 };
  },
});

async function placeToKeep(keepArchive: string | undefined, session: Session): Promise<MigrationJob["keep"]> {
  if (keepArchive === undefined) return undefined;
  // There is no --recipient here: an archive encrypted for somebody else could not be read back for the import.
  const encryption = await chooseEncryption([], session);
  const path = archivePath(resolve(session.io.cwd, keepArchive), encryption);
  return { path, encryption };
}
