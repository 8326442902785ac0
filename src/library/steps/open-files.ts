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

export interface AppliedFiles {
  readonly root: string;
  /** The key stays the same in later versions of the files, even if the record is renamed. */
  readonly identify: (key: RecordKey) => RecordKey;
  readonly paired: ManualMapping;
  readonly substitutes: ReadonlySet<string>;
  readonly leftOut: readonly LeftOutRecord[];
  readonly earlier?: ReadJournal | undefined;
}

export interface OpenedFiles {
  readonly reader: ArchiveReader;
  readonly files: AppliedFiles;
  /** The target's lists, in which names that no file defines are looked up. */
  readonly early: Promise<Inventory>;
}

/** With `isStrict`, a single mistake fails the run. */
export interface FilesTarget {
  readonly client: StackClient;
  readonly stackName: string;
  readonly transforms?: Transforms | undefined;
  readonly isStrict: boolean;
  readonly values?: CodeValues | undefined;
  readonly journal?: FindJournal | undefined;
}

/**
 * @param path the path as the user gave it, for messages
 * @throws StackferryError `usage` if there are no files; `config` if the run cannot go on without the bad files
 */
export async function openFiles(
  path: string,
  root: string,
  { client, stackName, transforms, isStrict, values, journal }: FilesTarget,
  context: RunContext,
): Promise<OpenedFiles> {
  // The YAML reader takes long to load.
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

const NOTHING = { stack: { variant: "self-hosted", baseUrl: "" }, kinds: new Map() } as const;

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
  readonly path: string;
  readonly root: string;
  readonly other: DiffSide | undefined;
  /** Undefined if the files are the right side. */
  readonly transforms?: Transforms | undefined;
  readonly values?: CodeValues | undefined;
}

/** Code files are one YAML or JSON file, or a folder without a manifest. Undefined if nothing is there. */
export async function detectInputType(root: string): Promise<"archive" | "files" | undefined> {
  const stats = await stat(root).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return /\.(?:ya?ml|json)$/i.test(root) ? "files" : "archive";
  const manifest = await stat(join(root, "manifest.json")).catch(() => undefined);
  return manifest === undefined ? "files" : "archive";
}
