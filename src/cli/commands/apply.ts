import { defineCommand } from "../program/parse/define-command.ts";
import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import { openFiles } from "../../library/steps/open-files.ts";
import { parseImportFlags } from "../flags/import.ts";
import { readCodeValues } from "../wiring/code-values.ts";
import { findJournalOf } from "../import/journal.ts";
import { importWithQuestions } from "../import/import-with-questions.ts";
import { refuseUnconfirmed } from "../prompts/confirm.ts";
import { findNamedInput } from "../wiring/named-input.ts";
import { lockStack, openClient, toReportedStack, resolveStack } from "../wiring/stack.ts";
import { runImportCommand } from "./import.ts";

/** Makes a stack match code files: an import whose archive is made from the files. It takes the options of an import. */
export const applyCommand = defineCommand("apply", {
  prepare: ({ path, to, values, signer, ...flags }) => ({
    path,
    to,
    values,
    signer,
    ...parseImportFlags(flags),
  }),
  run: async (request, session) => {
    refuseUnconfirmed(request, session);
    const { is } = await findNamedInput(request.path, session);
    if (is === "archive" || is === "backup") {
      return runImportCommand({ ...request, archive: request.path }, session);
    }
    if (request.signer !== undefined) {
      throw new StackferryError("usage", "--signer needs an archive: files that people edit have no signature");
    }
    const settings = await resolveStack(request.to, "to", session);
    session.runState.to = toReportedStack(settings);
    await using _lock = await lockStack(settings, request, session);
    await using client = openClient(settings, session);
    const root = resolve(session.io.cwd, request.path);
    const { transforms } = settings;
    const values = await readCodeValues(settings, request.values, session);
    const { reader, files, early } = await openFiles(
      request.path,
      root,
      {
        client,
        transforms,
        isStrict: request.options.mirror !== undefined,
        values,
        journal: request.options.namePrefix === undefined ? await findJournalOf(request, session) : undefined,
      },
      session,
    );
    session.runState.archive = reader.summary;
    const target = { settings, client, early, files };
    return await importWithQuestions(reader, target, request, session);
  },
});
