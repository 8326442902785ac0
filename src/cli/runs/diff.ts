import { resolve } from "node:path";
import { loadConfig } from "../../config/load-config.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { isStackUrl } from "../../config/stacks/stack-url.ts";
import type { Diff, RecordChange } from "../../core/diff.ts";
import { forStack } from "../../core/events.ts";
import { diffStacks } from "../../diff/diff-stacks.ts";
import { refuseEmptySelection } from "../../core/records/record-filter.ts";
import type { DiffSide } from "../../diff/side.ts";
import { sideOfArchive } from "../../diff/side.ts";
import type { SideToRead } from "../../library/diff.ts";
import { readSides, readStackSide } from "../../library/diff.ts";
import { readFilesSide } from "../../library/steps/open-files.ts";
import { namedKinds } from "../../library/steps/selection.ts";
import { programVersion } from "../../library/steps/version.ts";
import type { NamingOptions } from "../../matching/naming.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { Selection } from "../flags/selection.ts";
import { loadMapping } from "../import/mapping.ts";
import type { ReportedSide } from "../output/diff.ts";
import { diffText, countsText, notComparedText } from "../output/diff.ts";
import type { CommandResult } from "../output/document.ts";
import { writeReport } from "../output/report-file.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { openArchiveFile } from "../wiring/archive-file.ts";
import { detectNamedInput } from "../wiring/kind-of-path.ts";
import { redactorOfRun } from "../wiring/redactor.ts";
import { openClient, toReportedStack, resolveStack } from "../wiring/stack.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { changeRow } from "../../report/view/changes.ts";
import { plain } from "../output/markdown/escape.ts";
import { markdownSection, markdownTable } from "../output/markdown/table.ts";

/** `stackferry diff`, normalised. */
export interface DiffCommandRequest extends Selection {
  readonly left: string;
  readonly right: string;
  readonly mapFile: string | undefined;
  /** Path of the HTML page to write. */
  readonly report: string | undefined;
  /** The name prefix and tags that an import of the left into the right has added. */
  readonly naming: NamingOptions;
  readonly markdown: boolean;
  /** Exit 10 if there is a difference. */
  readonly exitCode: boolean;
}

/** Compares two archives, code files or stacks with each other. */
export async function runDiff(request: DiffCommandRequest, session: Session): Promise<CommandResult> {
  const kinds = namedKinds(request.kinds).map(({ name }) => name);
  const mapping = await loadMapping(request.mapFile, session);
  const { left, right } = await openDiffSides(request, await redactorOfRun(session), session);
  session.runState.from = left.shown;
  session.runState.to = right.shown;
  session.events({ type: "phase", phase: "comparing" });
  const { transforms } = right;
  const asked = { kinds, filter: request.filter, mapping, naming: request.naming, ...(transforms && { transforms }) };
  const { warnings, ...diff } = await diffStacks(left.side, right.side, asked, session.signal);
  if (diff.changes.length === 0 && diff.same === 0) refuseEmptySelection(request.filter, "on either side");
  for (const warning of warnings) session.events({ type: "warning", warning });
  const isPartial = [left, right].some(({ side }) => side.leftOut !== undefined);
  if (request.report !== undefined) await reportDiff(request.report, { left, right, diff }, session);
  return {
    exitCode: isPartial ? 3 : exitCodeOf(diff, request.exitCode),
    text: (display) =>
      request.markdown ? diffMarkdown(diff, left.shown, right.shown) : diffText(diff, left.shown, right.shown, display),
    extra: { different: diff.changes.length > 0, diff },
  };
}

/** 3 takes precedence over 10, because a kind that could not be read may differ as well. */
function exitCodeOf({ changes, notCompared }: Diff, exitsTen: boolean): ExitCode {
  if (notCompared.some(({ reason }) => reason === "failed")) return 3;
  return exitsTen && changes.length > 0 ? 10 : 0;
}

/** One side of a comparison, and its name in reports. */
export interface OpenedSide {
  readonly side: DiffSide;
  readonly shown: ReportedSide;
  /** The transforms of a configured stack. */
  readonly transforms?: StackSettings["transforms"];
}

/**
 * Reads both sides. An argument is a STACK if it is an address or a configured name, else an archive or code files (`./production`
 * is always a path). Archives are read first, because they list the ids of the pipes to read from a stack. Code files are read
 * last, because names that they do not define are looked up in the other side.
 */
export async function openDiffSides(
  { left, right }: { readonly left: string; readonly right: string },
  redact: Redactor,
  session: Session,
): Promise<{ readonly left: OpenedSide; readonly right: OpenedSide }> {
  const { stacks } = await loadConfig({ file: session.globals.configFile, cwd: session.io.cwd });
  const isStack = (argument: string): boolean =>
    (/^https?:/i.test(argument) && isStackUrl(argument)) || stacks.has(argument);
  const sideOf = async (argument: string, role: "from" | "to"): Promise<SideToRead<OpenedSide>> => {
    if (isStack(argument)) {
      const read: SideToRead<OpenedSide>["read"] = (other, named) =>
        openStack({ argument, role, other: other?.side, named }, redact, session);
      return { from: "stack", read };
    }
    if ((await detectNamedInput(argument, session)) === "files") {
      return { from: "files", read: (other) => openFilesSide(argument, role, other, redact, session) };
    }
    return { from: "archive", read: () => openArchive(argument, redact, session) };
  };
  return readSides(await sideOf(left, "from"), await sideOf(right, "to"));
}

async function openFilesSide(
  path: string,
  role: "from" | "to",
  other: OpenedSide | undefined,
  redact: Redactor,
  session: Session,
): Promise<OpenedSide> {
  const transforms = role === "from" ? other?.transforms : undefined;
  const files = { path, root: resolve(session.io.cwd, path), other: other?.side, transforms };
  return { side: await readFilesSide(files, redact, session), shown: { label: path, files: true } };
}

async function openArchive(path: string, redact: Redactor, session: Session): Promise<OpenedSide> {
  const { events, signal } = session;
  await using reader = await openArchiveFile(path, session);
  events({ type: "phase", phase: `reading ${path}`, total: reader.manifest.entries.length });
  const side = await sideOfArchive(reader, redact, { events, signal });
  // The document describes the sides in `from` and `to`, not in `archive`.
  delete session.runState.archive;
  return { side, shown: { label: path, ...reader.manifest.source } };
}

interface StackToRead {
  readonly argument: string;
  readonly role: "from" | "to";
  readonly other: DiffSide | undefined;
  readonly named: boolean;
}

async function openStack(
  { argument, role, other, named }: StackToRead,
  redact: Redactor,
  session: Session,
): Promise<OpenedSide> {
  const settings = await resolveStack(argument, role, session);
  const own = named ? forStack(session, settings.stackName) : session;
  await using client = openClient(settings, own);
  const side = await readStackSide({ client, settings, other, redact }, own);
  return { side, shown: toReportedStack(settings), transforms: settings.transforms };
}

/** Writes a comparison as one HTML page. */
export async function reportDiff(
  out: string,
  { left, right, diff }: { readonly left: OpenedSide; readonly right: OpenedSide; readonly diff: Diff },
  session: Session,
): Promise<void> {
  const { diffPage } = await import("../../report/pages/diff.ts");
  const sideOf = ({ shown, side }: OpenedSide) => ({
    label: shown.label,
    identity: side.identity,
    records: side.records,
  });
  const at = new Date(session.startedAt).toISOString();
  const page = diffPage({
    left: sideOf(left),
    right: sideOf(right),
    diff,
    at,
    madeBy: `stackferry ${programVersion()}`,
  });
  const { path } = await writeReport(out, page, session);
  session.note(`wrote ${path}\n`);
}

/** A comparison in Markdown: the counts, then each record that differs, then the members that differ. */
export function diffMarkdown(diff: Diff, left: ReportedSide, right: ReportedSide): string {
  const sides = `${plain(left.label)} → ${plain(right.label)}`;
  const records = diff.changes.map((change) => [change.change, nounOf(change.kind), nameOf(change), whyOf(change)]);
  const members = diff.changes.flatMap((change) =>
    change.members.map((member) => [`${nounOf(change.kind)} "${nameOf(change)}"`, ...changeRow(member)]),
  );
  return [
    `**${plain(countsText(diff))}** ${sides}\n`,
    diff.changes.length === 0 ? "" : `\n${markdownTable(["change", "kind", "name", ""], records)}`,
    markdownSection("What differs", markdownTable(["record", "member", "before", "after"], members)),
    ...diff.notCompared.map((each) => `\n${plain(notComparedText(each).trim())}\n`),
  ].join("");
}

function nameOf({ name, displayName, leftId, rightId }: RecordChange): string {
  return name === "" ? (displayName ?? rightId ?? leftId ?? "") : name;
}

function whyOf({ ambiguous }: RecordChange): string {
  return ambiguous === true ? "several on the right could be it" : "";
}
