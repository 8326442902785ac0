import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { Manifest, ManifestEntry } from "../../core/manifest.ts";
import type { RecordReader } from "../../core/ports.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { redactName } from "../../redaction/redact-names.ts";
import type { Redactor } from "../../redaction/redactor.ts";

/** Reads these entries, and returns those whose records are damaged. */
async function findDamaged(
  reader: RecordReader,
  entries: readonly ManifestEntry[],
  signal: AbortSignal | undefined,
): Promise<ManifestEntry[]> {
  const damaged: ManifestEntry[] = [];
  for (const entry of entries) {
    signal?.throwIfAborted();
    if (await reader.read(entry).then(() => false, isDamage)) damaged.push(entry);
  }
  return damaged;
}

/** Tells whether the error is about damage; throws any other error. */
function isDamage(error: unknown): boolean {
  if (error instanceof StackferryError && error.code === "archive-damaged") return true;
  throw error;
}

/**
 * Returns the archive's manifest without the damaged records that the user excludes, and warns of each. Marks their kinds as
 * partial: otherwise a link to such a record would count as dangling at the source, and would be left out.
 */
export async function leaveOutDamaged(
  reader: RecordReader,
  exclude: readonly string[],
  redact: Redactor,
  { events, signal }: RunContext,
): Promise<Manifest> {
  const { manifest } = reader;
  const excluded = manifest.entries.filter((entry) => !isSelected(entry, { include: [], exclude }));
  const damaged = await findDamaged(reader, excluded, signal);
  const kinds = { ...manifest.kinds };
  for (const { kind, id, name } of damaged) {
    const about = nameOfRecord({ kind, id, name: await redactName({ kind, name }, redact) });
    events({ type: "warning", warning: { code: "damaged-record", message: `${about} is damaged and left out` } });
    const { count = 1, unlisted = 0 } = kinds[kind] ?? {};
    kinds[kind] = { ...kinds[kind], status: "partial", count: count - 1, unlisted: unlisted + 1 };
  }
  return { ...manifest, kinds, entries: manifest.entries.filter((entry) => !damaged.includes(entry)) };
}

/**
 * Extends an error about one damaged record: adds the paths of all damaged records, and a hint how to import the others. Returns
 * any other error unchanged.
 */
export async function withDamagedRecords(error: unknown, reader: RecordReader, signal?: AbortSignal): Promise<unknown> {
  if (!(error instanceof StackferryError) || error.code !== "archive-damaged") return error;
  const damaged = await findDamaged(reader, reader.manifest.entries, signal);
  const hint = "use another copy, or export again; an import leaves a damaged record out with --exclude ID";
  const faults = damaged.map(({ path }) => path);
  return new StackferryError(error.code, error.message, { cause: error, hint, faults });
}
