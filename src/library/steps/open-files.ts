import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { RunContext } from "../../core/events.ts";
import type { ManualMapping } from "../../core/plan/plan.ts";
import type { ArchiveReader, StackClient } from "../../core/ports.ts";
import type { RecordKey } from "../../core/records/record.ts";
import type { Transforms } from "../../core/plan/transforms.ts";
import type { DiffSide } from "../../diff/side.ts";
import type { LeftOutRecord } from "../../core/plan/left-out.ts";
import { inventoryOf, sideOfFiles } from "../../diff/side.ts";
import { renamed } from "../../import/transform/rename.ts";
import { renamesOf } from "../../import/transform/transform-record.ts";
import { transformsFrom } from "../../import/transform/transform-records.ts";
import { kinds } from "../../kinds/registry.ts";
import type { ImportOptions } from "../../matching/import-options.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { readTargetInventory } from "../../matching/inventory.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { FileSource } from "../memory/location.ts";

/** Files that people write, and which of their records the target has already. */
export interface AppliedFiles extends FileSource {
  readonly paired: ManualMapping;
  /** What mistakes in files keep from being written. */
  readonly leftOut: readonly LeftOutRecord[];
}

/** Files as the archive of an import, and the lists of its target, which tell what their names mean. */
export interface OpenedFiles {
  readonly reader: ArchiveReader;
  readonly files: AppliedFiles;
  readonly early: Promise<Inventory>;
}

/** What files are read for. `isStrict`: any mistake refuses all of them. */
export interface FilesTarget {
  readonly client: StackClient;
  readonly transforms?: Transforms | undefined;
  readonly isStrict: boolean;
}

/**
 * Reads files that people write. @param path as it was named, for messages; `root` is where that is
 * @throws StackferryError `config` that names each mistake by file, line and column
 */
export async function openFiles(
  path: string,
  root: string,
  { client, transforms, isStrict }: FilesTarget,
  context: RunContext,
): Promise<OpenedFiles> {
  // What reads YAML takes longer to load than the rest.
  const { openCode } = await import("../../archive/code/read/open-code.ts");
  let early: Promise<Inventory> | undefined;
  const readTarget = (): Promise<Inventory> => (early ??= readTargetInventory(client, kinds, context));
  const { reader, paired, lasting, leftOut } = await openCode(path, root, readTarget, {
    renamed: (kind, name) => renamed(name, renamesOf(kind, transforms?.rename)),
    isStrict,
  });
  const identities = { of: (key: RecordKey) => lasting.get(key) ?? key, keepChildren: false };
  return { reader, files: { root, identities, paired, leftOut }, early: readTarget() };
}

/** What names that a comparison's files lack are looked up in. */
const NOTHING = { stack: { variant: "self-hosted", baseUrl: "" }, kinds: new Map() } as const;

/**
 * Reads files that people write as one side of a comparison. @param other the other side, where names that they lack are looked up
 * @throws StackferryError `config` that names each mistake by file, line and column
 */
export async function readFilesSide(
  { path, root, other, transforms }: FilesToCompare,
  redact: Redactor,
  context: RunContext,
): Promise<DiffSide> {
  context.events({ type: "phase", phase: `reading ${path}` });
  const { openCode } = await import("../../archive/code/read/open-code.ts");
  const opened = await openCode(path, root, async () => (other === undefined ? NOTHING : inventoryOf(other)), {
    renamed: (kind, name) => renamed(name, renamesOf(kind, transforms?.rename)),
  });
  for (const { code, message } of opened.leftOut) context.events({ type: "warning", warning: { code, message } });
  for (const warning of opened.reader.manifest.warnings) context.events({ type: "warning", warning });
  return sideOfFiles(opened, redact, context);
}

/** Files that are one side of a comparison. */
export interface FilesToCompare {
  /** As it was named, for messages; `root` is where that is. */
  readonly path: string;
  readonly root: string;
  readonly other: DiffSide | undefined;
  /** Of the right side, where the files are the left one. */
  readonly transforms?: Transforms | undefined;
}

/** What is at a path: files that people write (YAML or JSON, or a folder of them), or an archive; undefined where nothing is. */
export async function detectInput(root: string): Promise<"archive" | "files" | undefined> {
  const stats = await stat(root).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return /\.(?:ya?ml|json)$/i.test(root) ? "files" : "archive";
  const manifest = await stat(join(root, "manifest.json")).catch(() => undefined);
  return manifest === undefined ? "files" : "archive";
}

/** What an import is asked to do, with what the names of files tell. Under a prefix a record is to be another one. */
export function withFiles(options: ImportOptions, files: AppliedFiles | undefined): ImportOptions {
  if (files === undefined || options.labels.namePrefix !== undefined) return options;
  return { ...options, paired: files.paired };
}

/** Files are nobody's backup, so they are transformed for whatever stack they are applied to. */
export function transformsOfImport(job: {
  readonly reader: ArchiveReader;
  readonly client: StackClient;
  readonly transforms: Transforms | undefined;
  readonly files: AppliedFiles | undefined;
}): Transforms | undefined {
  const { reader, client, transforms, files } = job;
  return files === undefined ? transformsFrom(reader.manifest.source, client.identity, transforms) : transforms;
}
