import type { RedactionRules } from "../core/secrets.ts";
import type { CodeValues } from "../archive/as-code/values.ts";
import type { StackSettings } from "../config/stacks/stack-settings.ts";
import type { Diff } from "../core/diff.ts";
import { contextForStack, type RunContext } from "../core/events.ts";
import type { Warning } from "../core/outcome.ts";
import type { ManualMapping, Transforms } from "../core/plan/plan.ts";
import type { ArchiveReader, StackClient } from "../core/ports.ts";
import { diffStacks, warnOfUnusedPatterns, type DiffRequest } from "../diff/diff-stacks.ts";
import { sideOfArchive, sideOfStack, type DiffSide } from "../diff/side.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { normaliseStack, openStack, type StackOptions } from "./options/connect.ts";
import { withRun, type RunOptions } from "./run.ts";
import {
  ARCHIVE_ACCESS,
  localArchivePath,
  openArchiveAt,
  archiveReadOptions,
  type ArchiveAccess,
} from "./steps/archive-file.ts";
import {
  loadMapping,
  buildRedactor,
  checkTransforms,
  requireOptions,
  type OptionNames,
} from "./options/option-values.ts";
import { readFilesSide, detectInputType } from "./steps/open-files.ts";
import { kindsToExport, normaliseSelection, SELECTION_OPTIONS, type SelectionOptions } from "./steps/selection.ts";

/** The two sides to compare. A text is the path of an archive or of code files; the keys open archives of both sides. */
export interface DiffOptions extends SelectionOptions, ArchiveAccess {
  readonly left: string | StackOptions;
  readonly right: string | StackOptions;
  /** Matches of records on the left to records on the right, or the path of a map file. */
  readonly map?: ManualMapping | string;
  /** The name prefix of an import of the left side into the right. Records of the right without the prefix do not count as added. */
  readonly namePrefix?: string;
  /** The transforms of an import of the left side into the right. */
  readonly transforms?: Transforms;
  readonly values?: CodeValues;
  readonly redaction?: RedactionRules;
}

const DIFF_OPTIONS: OptionNames<DiffOptions> = {
  ...SELECTION_OPTIONS,
  ...ARCHIVE_ACCESS,
  left: true,
  right: true,
  map: true,
  namePrefix: true,
  transforms: true,
  values: true,
  redaction: true,
};

/**
 * Compares two sides. Ids of matching records may differ, and references to them count as equal.
 * @throws StackferryError `config`, `usage`, `archive-damaged`, `archive-unknown`, `wrong-key`, `interrupted`, and the errors of the
 * stacks
 * @example const { changes, notCompared } = await diff({ left: "backup.zip", right: production });
 */
export async function diff(options: DiffOptions, run: RunOptions = {}): Promise<Diff> {
  requireOptions(options, DIFF_OPTIONS);
  const { kinds, filter } = normaliseSelection(options);
  const { namePrefix } = options;
  const job = {
    left: await inputOf(options.left, "left", options),
    right: await inputOf(options.right, "right", options),
    kinds: kinds.map(({ name }) => name),
    filter,
    mapping: await loadMapping(options.map),
    namePrefix,
    transforms: checkTransforms(options.transforms),
    values: options.values,
    redact: buildRedactor(options.redaction),
  };
  return withRun(run, async (context) => {
    const { diff, warnings } = await compareSides(job, context);
    for (const warning of warnings) context.events({ type: "warning", warning });
    return diff;
  });
}

async function inputOf(
  input: string | StackOptions,
  side: "left" | "right",
  access: ArchiveAccess,
): Promise<DiffInput> {
  if (typeof input === "string") {
    const root = localArchivePath(input, side);
    const isFiles = (await detectInputType(root)) === "files";
    return { path: input, root, isFiles, open: () => openArchiveAt(root, archiveReadOptions(access)) };
  }
  const settings = normaliseStack(input, side);
  return { settings, open: (context) => openStack(settings, context) };
}

export type DiffInput = StackInput | PathInput;

interface StackInput {
  readonly settings: Pick<StackSettings, "stackName" | "identity" | "kinds">;
  readonly open: (context: RunContext) => StackClient;
}

export interface PathInput {
  /** As the user gave the path, for messages. */
  readonly path: string;
  readonly root: string;
  readonly isFiles: boolean;
  readonly open: () => Promise<ArchiveReader>;
}

export interface DiffJob extends DiffRequest {
  readonly left: DiffInput;
  readonly right: DiffInput;
  readonly values?: CodeValues | undefined;
  readonly redact: Redactor;
}

export interface ComparedSides {
  readonly left: DiffSide;
  readonly right: DiffSide;
  readonly diff: Diff;
  readonly warnings: readonly Warning[];
}

export async function compareSides(job: DiffJob, context: RunContext): Promise<ComparedSides> {
  const { left, right } = await readSides(job, context);
  const unused = await warnOfUnusedPatterns(left, right, job);
  context.events({ type: "phase", phase: "comparing" });
  const { warnings, ...diff } = await diffStacks(left, right, job, context.signal);
  return { left, right, diff, warnings: [...unused, ...warnings] };
}

/** Names that code files do not define are looked up in the other side. */
async function readSides(
  { left, right, transforms, values, redact }: DiffJob,
  context: RunContext,
): Promise<Pick<ComparedSides, "left" | "right">> {
  const areStacks = "settings" in left && "settings" in right;
  const read = async (side: DiffInput, other?: DiffSide): Promise<DiffSide> => {
    if ("settings" in side) {
      const { stackName } = side.settings;
      return readStack(side, redact, areStacks ? contextForStack(context, stackName) : context);
    }
    if (!side.isFiles) return readArchive(side, redact, context);
    const files = { ...side, other, transforms: side === left ? transforms : undefined, values };
    return readFilesSide(files, redact, context);
  };
  if (areStacks) {
    const [leftSide, rightSide] = await Promise.all([read(left), read(right)]);
    return { left: leftSide, right: rightSide };
  }
  if ("isFiles" in left && left.isFiles) {
    const rightSide = await read(right);
    return { left: await read(left, rightSide), right: rightSide };
  }
  const leftSide = await read(left);
  return { left: leftSide, right: await read(right, leftSide) };
}

async function readArchive({ path, open }: PathInput, redact: Redactor, context: RunContext): Promise<DiffSide> {
  await using reader = await open();
  context.events({ type: "phase", phase: `reading ${path}`, total: reader.manifest.entries.length });
  return await sideOfArchive(reader, redact, context);
}

async function readStack({ settings, open }: StackInput, redact: Redactor, context: RunContext): Promise<DiffSide> {
  await using client = open(context);
  context.events({ type: "phase", phase: `reading ${settings.stackName}` });
  return await sideOfStack(client, redact, context, kindsToExport(settings));
}
