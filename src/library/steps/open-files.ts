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

/** Code files, with the matches of their records to records of the target. */
export interface AppliedFiles {
  /** Full path of the folder or file. */
  readonly root: string;
  /** Returns a key of a record that stays the same in later versions of the files, even if the record is renamed. */
  readonly identify: (key: RecordKey) => RecordKey;
  readonly paired: ManualMapping;
  /** Ids of tiles that the files' stack showed in place of tiles that its API cannot show. */
  readonly substitutes: ReadonlySet<string>;
  /** Records that are not written, because their files have mistakes or refer to such records. */
  readonly leftOut: readonly LeftOutRecord[];
  /** The journal of earlier runs, if it was read with the files. */
  readonly earlier?: ReadJournal | undefined;
}

/** Code files in the form of an archive, and the target's lists, in which names are looked up that no file defines. */
export interface OpenedFiles {
  readonly reader: ArchiveReader;
  readonly files: AppliedFiles;
  readonly early: Promise<Inventory>;
}

/** The target for which code files are read. With `isStrict`, a single mistake fails the whole run. */
export interface FilesTarget {
  readonly client: StackClient;
  readonly stackName: string;
  readonly transforms?: Transforms | undefined;
  readonly isStrict: boolean;
  readonly values?: CodeValues | undefined;
  /** Finds the journal, which shows which records of the target the files rename. */
  readonly journal?: FindJournal | undefined;
}

/**
 * Reads code files for an import.
 * @param path the path as the user gave it, for messages; `root` is the full path
 * @throws StackferryError `usage` if there are no files; `config`, which names each mistake by file, line and column,
 * if the run cannot go on without the bad files
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

/** An empty inventory, if there is no other side. */
const NOTHING = { stack: { variant: "self-hosted", baseUrl: "" }, kinds: new Map() } as const;

/** Reads code files as one side of a comparison. @throws StackferryError as `openFiles` */
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
  /** The path as the user gave it, for messages. `root` is the full path. */
  readonly path: string;
  readonly root: string;
  readonly other: DiffSide | undefined;
  /** The transforms of an import of the files into the other side; undefined if the files are the right side. */
  readonly transforms?: Transforms | undefined;
  readonly values?: CodeValues | undefined;
}

/**
 * Tells whether a path is an archive or code files (one YAML or JSON file, or a folder without a manifest); undefined
 * if nothing is there.
 */
export async function detectInputType(root: string): Promise<"archive" | "files" | undefined> {
  const stats = await stat(root).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return /\.(?:ya?ml|json)$/i.test(root) ? "files" : "archive";
  const manifest = await stat(join(root, "manifest.json")).catch(() => undefined);
  return manifest === undefined ? "files" : "archive";
}
