import { resolve } from "node:path";
import { stackAddressOf } from "../../config/stacks/stack-address.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { Diff } from "../../core/diff.ts";
import type { RunContext } from "../../core/events.ts";
import type { StackClient } from "../../core/ports.ts";
import { refuseEmptySelection } from "../../core/records/record-filter.ts";
import type { DiffSide } from "../../diff/side.ts";
import { compareSides, type PathInput } from "../../library/diff.ts";
import type { Document, Fact } from "../../report/document.ts";
import type { ReportedSide } from "../output/document.ts";
import { startFact, writeReportPage } from "../output/report-file.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { parseSelection, selectionFlags, valuesFileFlag } from "../program/flags.ts";
import { loadMapping } from "../../library/options/option-values.ts";
import { namedKinds } from "../../library/steps/selection.ts";
import { diffDocument } from "../../report/view/diff.ts";
import { documentMarkdown } from "../output/markdown.ts";
import { documentText } from "../output/text.ts";
import { defineCommand } from "../program/define-command.ts";
import { openArchiveFile } from "../inputs/archive.ts";
import { createRunRedactor, loadSessionConfig, readCodeValues } from "../inputs/config.ts";
import { openClient, resolveStack, toReportedStack } from "../inputs/stack.ts";
import { findNamedInput } from "../inputs/argument.ts";

export const command = defineCommand({
  positionals: {
    left: {
      demandOption: true,
      describe: "Before: an archive, code files, a backup (REPO/STACK[@TIME]), or STACK",
    },
    right: {
      demandOption: true,
      describe: "After: an archive, code files, a backup or STACK",
    },
  },
  flags: {
    "exit-code": { type: "boolean", describe: "Exit 10 when there is a difference" },
    ...selectionFlags,
    map: { describe: "Map file: which record on the left is which on the right" },
    "name-prefix": {
      advanced: true,
      describe: "Compare only records with this prefix on the right (--name-prefix of the import)",
    },
    values: { ...valuesFileFlag, advanced: true },
    markdown: { type: "boolean", describe: "Print the comparison in Markdown, for a pull request" },
    report: { writes: true, describe: "Write an HTML page of what differs" },
  },
  examples: [
    ["diff monday.zip tuesday.zip", "what was changed on Monday"],
    ["diff backup.zip production --exit-code", "exit 10 when production differs from its backup"],
    ["diff ./stack production --exit-code", "exit 10 when production differs from its files"],
    ["diff offsite/production@2026-11-20 production", "what was changed since that day's backup"],
    ['diff backup.zip staging --kinds dashboards --name-prefix "[staging] "', "what was changed in a seeded stack"],
    ["diff production staging --kinds dashboards,alerts", "two stacks; differences in ids are ignored"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 10, 130],
  run: async (args, session) => {
    const { namePrefix } = args;
    const { kinds: kindNames, filter } = parseSelection(args);
    const kinds = namedKinds(kindNames).map(({ name }) => name);
    const mapping = await loadMapping(args.map === undefined ? undefined : resolve(session.io.cwd, args.map));
    const [from, to] = [await inputOf(args.left, "from", session), await inputOf(args.right, "to", session)];
    const { transforms } = "settings" in to ? to.settings : {};
    const stackSide = [to, from].find((side) => "settings" in side);
    const values = await readCodeValues(stackSide?.settings ?? {}, args.values, session);
    const redact = await createRunRedactor(session);
    const job = { left: from, right: to, kinds, filter, mapping, namePrefix, transforms, values, redact };
    const { diff, warnings, ...sides } = await compareSides(job, session);
    const reported = (input: NamedInput, side: DiffSide): ReportedSide =>
      "settings" in input ? toReportedStack(input.settings) : reportedPath(input, side);
    const [left, right] = [reported(from, sides.left), reported(to, sides.right)];
    // The JSON document describes the two sides in `from` and `to`, not in `archive`.
    delete session.runState.archive;
    session.runState.from = left;
    session.runState.to = right;
    if (diff.changes.length === 0 && diff.same === 0) refuseEmptySelection(filter, "on either side");
    for (const warning of warnings) session.events({ type: "warning", warning });
    const isPartial = [sides.left, sides.right].some(({ leftOut }) => leftOut !== undefined);
    const describe = (whole: boolean, facts?: readonly Fact[]): Document =>
      describedDiff(diff, left, right, whole, facts);
    if (args.report !== undefined) {
      const { path } = await writeReportPage(args.report, describe(true, [startFact(session)]), session);
      session.note(`wrote ${path}\n`);
    }
    return {
      exitCode: isPartial ? 3 : exitCodeOfDiff(diff, args.exitCode),
      text: (display) =>
        args.markdown ? documentMarkdown(describe(false)) : documentText(describe(display.verbose === true), display),
      details: { different: diff.changes.length > 0, diff },
    };
  },
});

/** 3 takes precedence over 10, because a kind that could not be read may differ as well. */
function exitCodeOfDiff({ changes, notCompared }: Diff, exitsTen: boolean): ExitCode {
  if (notCompared.some(({ reason }) => reason === "failed")) return 3;
  return exitsTen && changes.length > 0 ? 10 : 0;
}

type NamedInput = PathInput | { readonly settings: StackSettings; readonly open: (context: RunContext) => StackClient };

async function inputOf(argument: string, role: "from" | "to", session: Session): Promise<NamedInput> {
  // The name of a stack takes precedence over a file of that name; `./production` is always a path.
  const isName = (await loadSessionConfig(session)).stacks.has(argument);
  const { is } = isName ? { is: "stack" } : await findNamedInput(argument, session);
  if (is === "stack") {
    const settings = await resolveStack(argument, role, session);
    return { settings, open: ({ events }) => openClient(settings, { ...session, events }) };
  }
  const root = resolve(session.io.cwd, argument);
  return { path: argument, root, isFiles: is === "files", open: () => openArchiveFile(argument, session) };
}

function reportedPath({ path, isFiles }: PathInput, { identity }: DiffSide): ReportedSide {
  return isFiles ? { label: path, files: true } : { label: path, ...identity };
}

export function describedDiff(
  diff: Diff,
  left: ReportedSide,
  right: ReportedSide,
  whole: boolean,
  facts: readonly Fact[] = [],
): Document {
  const hasIds = !("files" in left) && !("files" in right);
  return diffDocument({ diff, left: sideText(left), right: sideText(right), facts, whole, hasIds });
}

function sideText(stack: ReportedSide): string {
  return "files" in stack ? `${stack.label} (files)` : `${stack.label} (${stackAddressOf(stack)})`;
}
