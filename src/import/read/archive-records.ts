import { StackferryError } from "../../core/errors.ts";
import { memoryBudget } from "../../core/records/memory-budget.ts";
import type { RunContext } from "../../core/events.ts";
import type { Manifest, ManifestEntry } from "../../core/manifest.ts";
import type { RecordReader } from "../../core/ports.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { nameOfRecord, withDisplayNames } from "../../kinds/nouns.ts";
import { redactName } from "../../redaction/redact-names.ts";
import type { Redactor } from "../../redaction/redactor.ts";

/**
 * @param records receives what was read, even if a damaged record makes the function throw
 * @throws StackferryError as `eachRecord`, or if memory is too small
 */
export async function readRecords(
  reader: RecordReader,
  signal?: AbortSignal,
  records: StackRecord[] = [],
): Promise<StackRecord[]> {
  const hold = memoryBudget("archive");
  for await (const [, record] of eachRecord(reader, reader.manifest.entries, signal)) {
    hold(record.body);
    records.push(record);
  }
  return records;
}

/**
 * Leaves out damaged records that the user excludes. Their kinds become `partial`, so links to them do not count as dangling.
 * @throws StackferryError `archive-damaged` if the user does not exclude every damaged record
 */
export async function readUsableRecords(
  reader: RecordReader,
  exclude: readonly string[],
  redact: Redactor,
  { events, signal }: RunContext,
): Promise<{ readonly records: readonly StackRecord[]; readonly manifest: Manifest }> {
  const { manifest } = reader;
  const read: StackRecord[] = [];
  const damage = await readRecords(reader, signal, read).then(
    (): ManifestEntry[] => [],
    (error: unknown) => {
      const isLeftOut = (entry: ManifestEntry): boolean => !isSelected(entry, { include: [], exclude });
      const damaged = isDamageError(error) ? manifest.entries.filter(({ path }) => error.faults.includes(path)) : [];
      if (damaged.length === 0 || !damaged.every(isLeftOut)) throw error;
      return damaged;
    },
  );
  const kinds = { ...manifest.kinds };
  for (const { kind, id, name } of damage) {
    const about = nameOfRecord({ kind, id, name: await redactName({ kind, name }, redact) });
    events({ type: "warning", warning: { code: "unreadable-record", message: `${about} is damaged and left out` } });
    const { count = 1, unlisted = 0 } = kinds[kind] ?? {};
    kinds[kind] = { ...kinds[kind], status: "partial", count: count - 1, unlisted: unlisted + 1 };
  }
  const entries = manifest.entries.filter((entry) => !damage.includes(entry));
  return { records: withDisplayNames(read), manifest: { ...manifest, kinds, entries } };
}

/**
 * @throws StackferryError `interrupted`, and the reader's errors. `archive-damaged` comes after the last record, with the paths of
 * all damaged records as `faults`.
 */
export async function* eachRecord(
  reader: RecordReader,
  entries: readonly ManifestEntry[],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly [ManifestEntry, StackRecord]> {
  const damaged = new Set<string>();
  let first: StackferryError | undefined;
  for (const entry of entries) {
    if (signal?.aborted) throw new StackferryError("interrupted", "reading the archive was interrupted");
    try {
      yield [entry, await reader.read(entry)];
    } catch (error) {
      if (!isDamageError(error)) throw error;
      damaged.add(entry.path);
      first ??= error;
    }
  }
  if (first === undefined) return;
  const faults = reader.manifest.entries.map(({ path }) => path).filter((path) => damaged.has(path));
  const hint = "use another copy, or export again; an import leaves a damaged record out with --exclude ID";
  throw new StackferryError(first.code, first.message, { cause: first, hint, faults });
}

export function isDamageError(error: unknown): error is StackferryError {
  return error instanceof StackferryError && error.code === "archive-damaged";
}
