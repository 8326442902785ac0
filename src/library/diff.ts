import type { StackSettings } from "../config/stacks/stack-settings.ts";
import type { Diff } from "../core/diff.ts";
import type { RunContext } from "../core/events.ts";
import { forStack } from "../core/events.ts";
import { compactJson } from "../core/json.ts";
import type { ManualMapping } from "../core/plan/plan.ts";
import type { StackClient } from "../core/ports.ts";
import type { StackIdentity } from "../core/records/record.ts";
import type { Transforms } from "../core/plan/transforms.ts";
import { diffStacks } from "../diff/diff-stacks.ts";
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
import { readFilesSide, detectInput } from "./steps/open-files.ts";
import type { RedactionOptions } from "./steps/redaction.ts";
import { redactorOf } from "./steps/redaction.ts";
import type { SelectionOptions } from "./steps/selection.ts";
import { normaliseSelection } from "./steps/selection.ts";
import { transformsOf } from "./steps/transforms.ts";

/**
 * The two sides to compare. A text is the path of an archive or of code files (docs/dashboards-as-code.md). The keys open encrypted
 * archives on either side.
 */
export interface DiffOptions extends SelectionOptions, ArchiveAccess {
  readonly left: string | StackOptions;
  readonly right: string | StackOptions;
  /** Matches of records on the left to records on the right, or the path of a map file with them. */
  readonly map?: ManualMapping | string;
  /** The name prefix of an import of the left into the right: only records with this prefix are compared. */
  readonly namePrefix?: string;
  /** The tags that this import added to every dashboard. */
  readonly tags?: readonly string[];
  /** The transforms that this import applied to its records. */
  readonly transforms?: Transforms;
  readonly redaction?: RedactionOptions;
}

/**
 * Compares two archives, code files or stacks with each other. Ids that differ but refer to matching records are no difference.
 * @throws StackferryError `config`, `usage`, `archive-damaged`, `archive-unknown`, `interrupted`, and the errors of the stacks
 * @example
 * const { changes, notCompared } = await diff({ left: "backup.zip", right: production });
 */
export async function diff(options: DiffOptions, run: RunOptions = {}): Promise<Diff> {
  const { kinds, filter } = normaliseSelection(options);
  const mapping = await mappingOf(options.map);
  const { namePrefix, tags = [] } = options;
  const naming = { namePrefix, tags };
  const transforms = transformsOf(options.transforms);
  const redact = redactorOf(options.redaction);
  const asked = { ...options, ...(transforms && { transforms }) };
  const openLeft = sourceOf(options.left, "left", asked, redact);
  const openRight = sourceOf(options.right, "right", asked, redact);
  return withRun(run, async (context) => {
    const { left, right } = await readSides(await openLeft(context), await openRight(context));
    context.events({ type: "phase", phase: "comparing" });
    const request = {
      kinds: kinds.map(({ name }) => name),
      filter,
      mapping,
      naming,
      ...(transforms && { transforms }),
    };
    const { warnings, ...found } = await diffStacks(left, right, request, context.signal);
    for (const warning of warnings) context.events({ type: "warning", warning });
    return found;
  });
}

type ReadableSide = SideToRead<DiffSide>;

function sourceOf(
  given: string | StackOptions,
  what: "left" | "right",
  { transforms, ...access }: ArchiveAccess & Pick<DiffOptions, "transforms">,
  redact: Redactor,
): (context: RunContext) => Promise<ReadableSide> {
  if (typeof given === "string") {
    const path = localPath(given, what);
    return async (context) => {
      if ((await detectInput(path)) === "files") {
        const files = { path: given, root: path, ...(what === "left" && { transforms }) };
        return { from: "files", read: (other) => readFilesSide({ ...files, other }, redact, context) };
      }
      return { from: "archive", read: () => readArchiveSide(path, access, redact, context) };
    };
  }
  const stack = normaliseStack(given, what);
  const read = async (other: DiffSide | undefined, named: boolean, run: RunContext) => {
    const context = named ? forStack(run, stack.stackName) : run;
    await using client = openStack(stack, context);
    return await readStackSide({ client, settings: stack, other, redact }, context);
  };
  return async (context) => ({ from: "stack", read: (other, named) => read(other, named, context) });
}

async function readArchiveSide(
  path: string,
  access: ArchiveAccess,
  redact: Redactor,
  context: RunContext,
): Promise<DiffSide> {
  await using reader = await openArchiveAt(path, readOptions(access));
  context.events({ type: "phase", phase: `reading ${path}`, total: reader.manifest.entries.length });
  return await sideOfArchive(reader, redact, context);
}

/** One side of a comparison, not yet read. */
export interface SideToRead<T> {
  readonly from: "archive" | "stack" | "files";
  /**
   * @param other the other side, if already read: an archive there tells which pipes to read from a stack, and code files look up
   * names that they do not define in it
   * @param named two stacks are read at the same time, so events name their stack
   */
  read(other: T | undefined, named: boolean): Promise<T>;
}

/** The order of reading: a later side may use the content of an earlier one. */
const READ_ORDER = ["archive", "stack", "files"] as const;

/** Reads both sides, archives first, code files last. */
export async function readSides<T>(
  left: SideToRead<T>,
  right: SideToRead<T>,
): Promise<{ readonly left: T; readonly right: T }> {
  if (left.from === "stack" && right.from === "stack") {
    const [one, other] = await Promise.all([left.read(undefined, true), right.read(undefined, true)]);
    return { left: one, right: other };
  }
  const isLeftFirst = READ_ORDER.indexOf(left.from) < READ_ORDER.indexOf(right.from);
  const [first, second] = isLeftFirst ? [left, right] : [right, left];
  const one = await first.read(undefined, false);
  const other = await second.read(one, false);
  return isLeftFirst ? { left: one, right: other } : { left: other, right: one };
}

/** A stack to read as one side of a comparison. */
export interface StackSide {
  readonly client: StackClient;
  readonly settings: Pick<StackSettings, "stackName" | "identity" | "pipeIds">;
  /** The other side, if already read. */
  readonly other: DiffSide | undefined;
  readonly redact: Redactor;
}

/** Reads a stack; records that it cannot list are read by the ids in an archive of the same stack. */
export async function readStackSide(
  { client, settings, other, redact }: StackSide,
  context: RunContext,
): Promise<DiffSide> {
  context.events({ type: "phase", phase: `reading ${settings.stackName}` });
  const known = other !== undefined && sameStack(other.identity, settings.identity) ? idsReadOneByOne(other) : [];
  const ids = [...new Set([...(settings.pipeIds ?? []), ...known])];
  return sideOfStack(client, ids, redact, context);
}

/** The ids of records that can only be read by id; an archive of the same stack has them. */
function idsReadOneByOne({ records }: DiffSide): string[] {
  return records.filter(({ kind }) => findKind(kind)?.listing === "by-id").map(({ id }) => id);
}

function sameStack(left: StackIdentity, right: StackIdentity): boolean {
  return compactJson({ ...left }) === compactJson({ ...right });
}
