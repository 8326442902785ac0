import type { BackupContext } from "../backup/backup-context.ts";
import { openStoredArchive } from "../backup/open-stored-archive.ts";
import { StackferryError, rewordError } from "../core/errors.ts";
import type { ArchiveReader } from "../core/ports.ts";
import { keyOfRecord, recordKey, type RecordKey, type StackRecord } from "../core/records/record.ts";
import type { FindRecord } from "../core/resource-kind.ts";
import { isDamageError } from "../import/read/archive-records.ts";
import { displayNameMember } from "../kinds/nouns.ts";
import { knownKind } from "../kinds/registry.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { redactRecord } from "../redaction/redact-names.ts";
import { findReferences } from "../references/references.ts";
import type { BackupRecord } from "./find-differences.ts";
import type { BackupContent } from "./read-contents.ts";

/** A change needs two archives, and the next change usually needs the later archive again. */
const MAX_OPEN = 3;

export type OpenArchives = ReturnType<typeof openArchives>;

export function openArchives(
  redact: Redactor,
  context: BackupContext,
  given: readonly (readonly [string, ArchiveReader])[] = [],
) {
  const open = new Map<string, ArchiveReader>(given);
  const reader = async ({ archive }: BackupContent): Promise<ArchiveReader> => {
    const present = open.get(archive.name);
    if (present !== undefined) return present;
    const [oldest] = open.keys();
    if (open.size >= MAX_OPEN && oldest !== undefined) {
      await open.get(oldest)?.[Symbol.asyncDispose]();
      open.delete(oldest);
    }
    const opened = await openStoredArchive(archive, context);
    if (opened.state !== "open") {
      throw new StackferryError("archive-damaged", `${archive.name} can no longer be read`, {
        hint: "run the command again: another run may have removed it at this moment",
      });
    }
    open.set(archive.name, opened.reader);
    return opened.reader;
  };
  return {
    reader,
    /** Redacts by the current rules: an older backup can contain secrets that newer rules find. */
    async read({ entry, content }: BackupRecord): Promise<StackRecord> {
      const opened = await reader(content);
      try {
        return await redactRecord(await opened.read(entry), redact);
      } catch (error) {
        if (!isDamageError(error)) throw error;
        const { name } = content.archive;
        throw rewordError(error, `${name}: ${error.message.replaceAll(opened.summary.path, name)}`);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const opened of open.values()) await opened[Symbol.asyncDispose]();
    },
  };
}

export async function displayNameAt({ entry, content }: BackupRecord, archives: OpenArchives) {
  if (entry.name.trim() !== "") return {};
  const record = (await recordsAt(content, new Set([keyOfRecord(entry)]), archives))(entry.kind, entry.id);
  if (record === undefined) return {};
  const references = findReferences(knownKind(entry.kind), record.body, new Map());
  const keys = new Set(references.flatMap(({ record: key }) => key ?? []));
  return displayNameMember(record, await recordsAt(content, keys, archives));
}

/** Skips a damaged record, because callers use the records for names. */
export async function recordsAt(
  content: BackupContent,
  keys: ReadonlySet<RecordKey>,
  archives: OpenArchives,
): Promise<FindRecord> {
  const found = new Map<RecordKey, StackRecord>();
  for (const key of keys) {
    const entry = content.entries.get(key);
    if (entry === undefined) continue;
    try {
      found.set(key, await archives.read({ entry, content }));
    } catch (error) {
      if (!isDamageError(error)) throw error;
    }
  }
  return (kind, id) => found.get(recordKey(kind, id));
}
