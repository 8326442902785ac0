import { refuseUnconfirmed } from "../program/session.ts";
import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import { importFlags, parseImportFlags } from "../import/flags.ts";
import { signerFlag, stackToWriteArgument, valuesFileFlag, type Flag } from "../program/flags.ts";
import { openFiles } from "../../library/steps/open-files.ts";
import { defineCommand } from "../program/define-command.ts";
import { findJournalOf, readCodeValues } from "../inputs/config.ts";
import { lockStack, openClient, resolveStack, toReportedStack } from "../inputs/stack.ts";
import { findNamedInput } from "../inputs/argument.ts";
import { importArchive, importWithQuestions } from "../import/run-import.ts";

export const command = defineCommand({
  positionals: {
    path: {
      demandOption: true,
      describe: "Code files (a folder, or one file), or an archive",
    },
  },
  flags: {
    to: stackToWriteArgument,
    ...importFlags,
    "on-conflict": {
      ...importFlags["on-conflict"],
      describe: `${importFlags["on-conflict"].describe} (default: overwrite)`,
    },
    "exit-code": shownAlways(importFlags["exit-code"]),
    plan: shownAlways(importFlags.plan),
    markdown: shownAlways(importFlags.markdown),
    signer: { ...signerFlag, advanced: true },
    values: valuesFileFlag,
  },
  examples: [
    ["export --from production --format code --out ./stack", "first get the files"],
    ["apply ./stack --to production --dry-run", "show every changed field"],
    ["apply ./stack --to production", "show it, ask, and do it"],
    ["apply ./stack --to production --mirror", "also delete records whose file is gone"],
    ["apply ./stack --to production --dry-run --exit-code", "for CI: exit 10 when something would change"],
    ["apply ./stack --to production --dry-run --markdown", "a comment for a pull request"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  run: async ({ path, to, values: valuesFile, signer, ...flags }, session) => {
    const request = { path, to, signer, ...parseImportFlags(flags) };
    refuseUnconfirmed(request, session);
    const { is } = await findNamedInput(path, session);
    if (is === "archive" || is === "backup") return importArchive({ ...request, archive: path }, session);
    if (signer !== undefined) {
      throw new StackferryError("usage", "--signer needs an archive: files that people edit have no signature");
    }
    const settings = await resolveStack(to, "to", session);
    session.runState.to = toReportedStack(settings);
    await using _lock = await lockStack(settings, request, session);
    await using client = openClient(settings, session);
    const { transforms } = settings;
    const values = await readCodeValues(settings, valuesFile, session);
    const isStrict = request.options.mirror !== undefined;
    const journal = request.options.namePrefix === undefined ? await findJournalOf(request, session) : undefined;
    const job = { client, stackName: settings.stackName, transforms, isStrict, values, journal };
    const { reader, files, early } = await openFiles(path, resolve(session.io.cwd, path), job, session);
    session.runState.archive = reader.summary;
    return await importWithQuestions(reader, { settings, client, early, files }, request, session);
  },
});

function shownAlways<Declared extends Flag>({ advanced: _rare, ...flag }: Declared): Omit<Declared, "advanced"> {
  return flag;
}
