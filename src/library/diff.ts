import type { StackSettings } from "../config/stacks/stack-settings.ts";
import type { Diff } from "../core/diff.ts";
import type { RunContext } from "../core/events.ts";
import { forStack } from "../core/events.ts";
import { compactJson } from "../core/json.ts";
import type { ManualMapping } from "../core/importing/plan.ts";
import type { StackClient } from "../core/ports.ts";
import type { StackIdentity } from "../core/records/record.ts";
import type { Transforms } from "../core/importing/transforms.ts";
import { diffInSteps } from "../diff/diff-stacks.ts";
import type { DiffSide } from "../diff/side.ts";
import { sideOfArchive, sideOfStack } from "../diff/side.ts";
import { findKind } from "../kinds/registry.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { StackOptions } from "./options/connect.ts";
import { normaliseStack, openStack } from "./options/connect.ts";
import type { RunOptions } from "./options/run-options.ts";
import { withRun } from "./options/run-options.ts";
import type { ArchiveAccess } from "./steps/archive-file.ts";
import { localPath, openArchiveAt, readOptions } from "./steps/archive-file.ts";
import { mappingOf } from "./steps/mapping.ts";
import { patiently } from "./steps/patiently.ts";
import type { RedactionOptions } from "./steps/redaction.ts";
import { redactorOf } from "./steps/redaction.ts";
import type { SelectionOptions } from "./steps/selection.ts";
import { normaliseSelection } from "./steps/selection.ts";
import { transformsOf } from "./steps/transforms.ts";

/** What to compare. A text is the path of an archive. The keys open encrypted archives on either side. */
export interface DiffOptions extends SelectionOptions, ArchiveAccess {
  readonly left: string | StackOptions;
  readonly right: string | StackOptions;
  /** What is what on the right, or the path of a map file that says so. */
  readonly map?: ManualMapping | string;
  /** What an import of the left onto the right has put before every name: only what has it is compared. */
  readonly namePrefix?: string;
  /** What that import has added to every dashboard. */
  readonly tags?: readonly string[];
  /** What that import has changed of its records. */
  readonly transforms?: Transforms;
  readonly redaction?: RedactionOptions;
}

/**
 * Compares two archives, an archive and a stack, or two stacks. Ids that only name the same thing differently do not count.
 * @throws StackferryError `config`, `usage`, `archive-damaged`, `archive-unknown`, `interrupted`, and the errors of the stacks
 * @example
 * const { changes, notCompared } = await diff({ left: "backup.zip", right: production });
 */
export async function diff(options: DiffOptions, run: RunOptions = {}): Promise<Diff> {
  const { kinds, filter } = normaliseSelection(options);
  const mapping = await mappingOf(options.map);
  const { namePrefix, tags = [] } = options;
  const labels = { ...(namePrefix !== undefined && { namePrefix }), tags };
  const transforms = transformsOf(options.transforms);
  const redact = redactorOf(options.redaction);
  const read = [
    sourceOf(options.left, "left", options, redact),
    sourceOf(options.right, "right", options, redact),
  ] as const;
  return withRun(run, async (context) => {
    const { left, right } = await readSides(read[0](context), read[1](context));
    context.events({ type: "phase", phase: "comparing" });
    const request = {
      kinds: kinds.map(({ name }) => name),
      filter,
      mapping,
      labels,
      ...(transforms && { transforms }),
    };
    const { warnings, ...found } = await patiently(diffInSteps(left.side, right.side, request), context.signal);
    for (const warning of warnings) context.events({ type: "warning", warning });
    return found;
  });
}

type ReadableSide = SideToRead<{ readonly side: DiffSide }>;

function sourceOf(
  given: string | StackOptions,
  what: string,
  access: ArchiveAccess,
  redact: Redactor,
): (context: RunContext) => ReadableSide {
  if (typeof given === "string") {
    const path = localPath(given, what);
    const read = async (context: RunContext) => {
      await using reader = await openArchiveAt(path, readOptions(access));
      context.events({ type: "phase", phase: `reading ${path}`, total: reader.manifest.entries.length });
      return { side: await sideOfArchive(reader, redact, context) };
    };
    return (context) => ({ isStack: false, read: () => read(context) });
  }
  const stack = normaliseStack(given, what);
  const read = async (archived: readonly DiffSide[], named: boolean, run: RunContext) => {
    const context = named ? forStack(run, stack.label) : run;
    await using client = openStack(stack, context);
    return { side: await readStackSide({ client, settings: stack, archived, redact }, context) };
  };
  return (context) => ({ isStack: true, read: (archived, named) => read(archived, named, context) });
}

/** One side of a comparison that has still to be read. */
export interface SideToRead<T> {
  readonly isStack: boolean;
  /**
   * @param archived the other side, if it is an archive: it names the pipes that a stack is asked for
   * @param named two stacks are read at once, so events name theirs
   */
  read(archived: readonly DiffSide[], named: boolean): Promise<T>;
}

/** Reads both sides, archives first. */
export async function readSides<T extends { readonly side: DiffSide }>(
  left: SideToRead<T>,
  right: SideToRead<T>,
): Promise<{ readonly left: T; readonly right: T }> {
  if (left.isStack && !right.isStack) {
    const archive = await right.read([], false);
    return { left: await left.read([archive.side], false), right: archive };
  }
  if (left.isStack) {
    const [one, other] = await Promise.all([left.read([], true), right.read([], true)]);
    return { left: one, right: other };
  }
  const archive = await left.read([], false);
  return { left: archive, right: await right.read([archive.side], false) };
}

/** A stack to be read as one side of a comparison. */
export interface StackSide {
  readonly client: StackClient;
  readonly settings: Pick<StackSettings, "label" | "identity" | "pipeIds">;
  /** The other side, if it is an archive. */
  readonly archived: readonly DiffSide[];
  readonly redact: Redactor;
}

/** Reads a stack, and of what is not listed what an archive of the same stack knows. */
export async function readStackSide(
  { client, settings, archived, redact }: StackSide,
  context: RunContext,
): Promise<DiffSide> {
  context.events({ type: "phase", phase: `reading ${settings.label}` });
  const known = archived.filter(({ identity }) => sameStack(identity, settings.identity)).flatMap(idsReadOneByOne);
  const ids = [...new Set([...(settings.pipeIds ?? []), ...known])];
  return sideOfStack(client, ids, redact, context);
}

/** What only can be read with its id known, and the archive of the same stack knows it. */
function idsReadOneByOne({ records }: DiffSide): string[] {
  return records.filter(({ kind }) => findKind(kind)?.listing === "by-id").map(({ id }) => id);
}

function sameStack(left: StackIdentity, right: StackIdentity): boolean {
  return compactJson({ ...left }) === compactJson({ ...right });
}
