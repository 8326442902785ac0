import { StackferryError } from "../../core/errors.ts";
import { partition } from "../../core/collections.ts";
import type { EventSink } from "../../core/events.ts";
import type { Manifest, ManifestEntry } from "../../core/manifest.ts";
import type { RecordReader } from "../../core/ports.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { redactName } from "../../redaction/redact-names.ts";
import type { Redactor } from "../../redaction/redactor.ts";

/** Tells whether the error is about damage of an archive. */
export function isDamageError(error: unknown): error is StackferryError {
  return error instanceof StackferryError && error.code === "archive-damaged";
}

/**
 * Extends an error about one damaged record: adds the paths of all damaged records, and a hint how to import the others. Returns
 * any other error unchanged.
 */
export async function withDamagedRecords(error: unknown, reader: RecordReader, signal?: AbortSignal): Promise<unknown> {
  if (!isDamageError(error)) return error;
  const faults: string[] = [];
  for (const entry of reader.manifest.entries) {
    signal?.throwIfAborted();
    try {
      await reader.read(entry);
    } catch (problem) {
      if (!isDamageError(problem)) throw problem;
      faults.push(entry.path);
    }
  }
  const hint = "use another copy, or export again; an import leaves a damaged record out with --exclude ID";
  return new StackferryError(error.code, error.message, { cause: error, hint, faults });
}

/**
 * Returns the manifest without the damaged records that the user excludes, and warns of each. Marks their kinds as partial:
 * otherwise a link to such a record would count as dangling at the source, and would be left out.
 * @param paths the paths of all damaged records
 */
export async function leaveOutDamaged(
  manifest: Manifest,
  paths: ReadonlySet<string>,
  exclude: readonly string[],
  redact: Redactor,
  events: EventSink,
): Promise<Manifest> {
  const isLeftOut = (entry: ManifestEntry): boolean =>
    paths.has(entry.path) && !isSelected(entry, { include: [], exclude });
  const [damaged, entries] = partition(manifest.entries, isLeftOut);
  const kinds = { ...manifest.kinds };
  for (const { kind, id, name } of damaged) {
    const about = nameOfRecord({ kind, id, name: await redactName({ kind, name }, redact) });
    events({ type: "warning", warning: { code: "unreadable-record", message: `${about} is damaged and left out` } });
    const { count = 1, unlisted = 0 } = kinds[kind] ?? {};
    kinds[kind] = { ...kinds[kind], status: "partial", count: count - 1, unlisted: unlisted + 1 };
  }
  return { ...manifest, kinds, entries };
}
