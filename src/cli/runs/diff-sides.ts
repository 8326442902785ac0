import { loadConfig } from "../../config/load-config.ts";
import { isStackUrl } from "../../config/parse-stack-url.ts";
import { compactJson } from "../../domain/canonical-json.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { StackIdentity } from "../../domain/record.ts";
import { sideOfArchive, sideOfStack } from "../../jobs/diff-side.ts";
import type { DiffSide } from "../../jobs/diff-side.ts";
import { findKind } from "../../kinds/registry.ts";
import { openArchiveFile } from "../open-archive-file.ts";
import { openClient, reported, resolveFor } from "../open-stack.ts";
import type { ReportedStack } from "../report.ts";
import type { Session } from "../session.ts";

/** One side of a comparison and how reports name it. */
export interface OpenedSide {
  readonly side: DiffSide;
  readonly shown: ReportedStack;
}

type Open = (archived: readonly DiffSide[]) => Promise<OpenedSide>;

/**
 * Reads both sides. An argument is a STACK if it is an address or a configured name, else an archive (`./production` is one
 * whatever the configuration says). Archives are read first: they name the pipes that a stack is asked for.
 */
export async function openDiffSides(
  { left, right }: { readonly left: string; readonly right: string },
  redact: Redactor,
  session: Session,
): Promise<{ readonly left: OpenedSide; readonly right: OpenedSide }> {
  const { stacks } = await loadConfig({ file: session.globals.configFile, cwd: session.io.cwd });
  const isStack = (argument: string): boolean =>
    (/^https?:/i.test(argument) && isStackUrl(argument)) || stacks.has(argument);
  const opener = (argument: string, role: "from" | "to"): Open =>
    isStack(argument)
      ? (archived) => openStack(argument, role, archived, redact, session)
      : () => openArchive(argument, redact, session);
  const [openLeft, openRight] = [opener(left, "from"), opener(right, "to")];
  if (isStack(left) && !isStack(right)) {
    const archive = await openRight([]);
    return { left: await openLeft([archive.side]), right: archive };
  }
  if (isStack(left)) {
    const [one, other] = await Promise.all([openLeft([]), openRight([])]);
    return { left: one, right: other };
  }
  const archive = await openLeft([]);
  return { left: archive, right: await openRight([archive.side]) };
}

async function openArchive(path: string, redact: Redactor, session: Session): Promise<OpenedSide> {
  const { events, signal } = session;
  await using reader = await openArchiveFile(path, session);
  events({ type: "phase", phase: `reading ${path}`, total: reader.manifest.entries.length });
  const side = await sideOfArchive(reader, redact, { events, signal });
  // Two sides have no one archive; each is named as what it is.
  delete session.facts.archive;
  return { side, shown: { label: path, ...reader.manifest.source } };
}

async function openStack(
  reference: string,
  role: "from" | "to",
  archived: readonly DiffSide[],
  redact: Redactor,
  session: Session,
): Promise<OpenedSide> {
  const { events, signal } = session;
  const settings = await resolveFor(reference, role, session);
  await using client = openClient(settings, session);
  events({ type: "phase", phase: `reading ${settings.label}` });
  const known = archived.filter(({ identity }) => sameStack(identity, settings.identity)).flatMap(idsReadOneByOne);
  const ids = [...new Set([...settings.pipeIds, ...known])];
  return { side: await sideOfStack(client, ids, redact, { events, signal }), shown: reported(settings) };
}

/** What only can be read with its id known, and the archive of the same stack knows it. */
function idsReadOneByOne({ records }: DiffSide): string[] {
  return records.filter(({ kind }) => findKind(kind)?.listing === "by-id").map(({ id }) => id);
}

function sameStack(left: StackIdentity, right: StackIdentity): boolean {
  return compactJson({ ...left }) === compactJson({ ...right });
}
