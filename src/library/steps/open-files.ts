import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type RunContext } from "../../core/events.ts";
import type { ManualMapping, LeftOutRecord, Transforms } from "../../core/plan/plan.ts";
import type { ArchiveReader, StackClient } from "../../core/ports.ts";
import type { RecordKey } from "../../core/records/record.ts";
import { inventoryFromSide, sideOfFiles, type DiffSide } from "../../diff/side.ts";
import { applyRenames, renameRulesOf } from "../../import/transforms.ts";
import { importedKinds } from "../../kinds/registry.ts";
import type { CodeValues } from "../../archive/as-code/values.ts";
import { readInventory, type Inventory } from "../../matching/inventory.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { FindJournal, ReadJournal } from "./journal-place.ts";

/** Code files, and the matches of their records to records of the target. */
export interface AppliedFiles {
  /** Full path of the folder or file. */
  readonly root: string;
  /** Returns the key by which a record is recognised in the next version of the files: it survives a rename. */
  readonly identify: (key: RecordKey) => RecordKey;
  readonly paired: ManualMapping;
  /** Ids of tiles that stand in for tiles which the API of the files' stack could not show. */
  readonly substitutes: ReadonlySet<string>;
  /** Records that are not written because their files have mistakes. */
  readonly leftOut: readonly LeftOutRecord[];
  /** The journal, if the files were read with it. */
  readonly earlier?: ReadJournal | undefined;
}

/** Code files as the archive of an import, and the target's lists. Names that no file defines are looked up in these lists. */
export interface OpenedFiles {
  readonly reader: ArchiveReader;
  readonly files: AppliedFiles;
  readonly early: Promise<Inventory>;
}

/** The target that code files are read for. With `isStrict`, a single mistake fails the whole run. */
export interface FilesTarget {
  readonly client: StackClient;
  readonly stackName: string;
  readonly transforms?: Transforms | undefined;
  readonly isStrict: boolean;
  readonly values?: CodeValues | undefined;
  /** Finds the journal, which tells which records of the target the files rename. */
  readonly journal?: FindJournal | undefined;
}

/**
 * Reads code files for an import.
 * @param path the path as the user gave it, for messages; `root` is its full path
 * @throws StackferryError `config` that names each mistake by file, line and column
 */
export async function openFiles(
  path: string,
  root: string,
  { client, stackName, transforms, isStrict, values, journal }: FilesTarget,
  context: RunContext,
): Promise<OpenedFiles> {
  // Loaded on demand, because the YAML reader takes longer to load than everything else.
  const { openCode } = await import("../../archive/as-code/read/open-code.ts");
  let early: Promise<Inventory> | undefined;
  let earlier: ReadJournal | undefined;
  const readTarget = (): Promise<Inventory> => {
    if (early === undefined) context.events({ type: "phase", phase: `reading ${stackName}` });
    return (early ??= readInventory(client, importedKinds, context));
  };
  const { reader, paired, lasting, substitutes, leftOut } = await openCode(path, root, readTarget, {
    nameOnTarget: (kind, name) => applyRenames(name, renameRulesOf(kind, transforms?.rename)),
    isStrict,
    values,
    findWritten: async () => {
      const { identity } = client;
      if (journal === undefined) return () => undefined;
      earlier = await journal({ source: identity, files: root, target: identity }).read();
      const { bases } = earlier.history;
      return (key) => bases.get(key)?.targetId;
    },
  });
  const identify = (key: RecordKey): RecordKey => lasting.get(key) ?? key;
  return { reader, files: { root, identify, paired, substitutes, leftOut, earlier }, early: readTarget() };
}

/** An empty inventory, for comparing code files without another side. */
const NOTHING = { stack: { variant: "self-hosted", baseUrl: "" }, kinds: new Map() } as const;

/** @param other the side in which names that no file defines are looked up. @throws StackferryError as `openFiles` */
export async function readFilesSide(
  { path, root, other, transforms, values }: FilesToCompare,
  redact: Redactor,
  context: RunContext,
): Promise<DiffSide> {
  context.events({ type: "phase", phase: `reading ${path}` });
  const { openCode } = await import("../../archive/as-code/read/open-code.ts");
  const opened = await openCode(path, root, async () => (other === undefined ? NOTHING : inventoryFromSide(other)), {
    nameOnTarget: (kind, name) => applyRenames(name, renameRulesOf(kind, transforms?.rename)),
    values,
  });
  for (const { code, message } of opened.leftOut) context.events({ type: "warning", warning: { code, message } });
  for (const warning of opened.reader.manifest.warnings) context.events({ type: "warning", warning });
  return sideOfFiles(opened, redact, context);
}

export interface FilesToCompare {
  /** The path as the user gave it, for messages; `root` is its full path. */
  readonly path: string;
  readonly root: string;
  readonly other: DiffSide | undefined;
  /** The transforms that an import of the files into the other side applied; undefined if the files are the right side. */
  readonly transforms?: Transforms | undefined;
  readonly values?: CodeValues | undefined;
}

/** Tells whether a path is a code file (YAML or JSON), a folder of them, or an archive; undefined if nothing is there. */
export async function detectInputType(root: string): Promise<"archive" | "files" | undefined> {
  const stats = await stat(root).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return /\.(?:ya?ml|json)$/i.test(root) ? "files" : "archive";
  const manifest = await stat(join(root, "manifest.json")).catch(() => undefined);
  return manifest === undefined ? "files" : "archive";
}
