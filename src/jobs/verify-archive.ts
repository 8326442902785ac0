import { StackferryError } from "../domain/errors.ts";
import { childId } from "../domain/id-map.ts";
import type { ArchiveReader } from "../domain/ports.ts";
import type { IdSpace } from "../domain/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { parseRecord } from "../kinds/parse-record.ts";
import type { JobContext } from "./job-context.ts";
import { partId, partsOf } from "./parts.ts";
import { findReferences } from "./references.ts";

/** A record that is not what its kind says it should be. */
export interface VerifyProblem {
  readonly path: string;
  readonly code: "unreadable-record" | "unknown-kind";
  readonly message: string;
}

/** A reference to something that the archive does not hold. */
export interface DanglingReference {
  readonly path: string;
  readonly pointer: string;
  readonly space: IdSpace;
  readonly id: string;
}

/** What checking an archive found. Damage is not in here: it is thrown. */
export interface VerifyResult {
  readonly records: number;
  readonly problems: readonly VerifyProblem[];
  readonly dangling: readonly DanglingReference[];
}

/**
 * Reads every record: sizes and checksums (by the reader, which throws `archive-damaged`), the schema of each, and whether
 * what they refer to is in the archive. Id spaces that an archive never holds (connections, saved searches) are left out.
 */
export async function verifyArchive(reader: ArchiveReader, context: JobContext): Promise<VerifyResult> {
  const problems: VerifyProblem[] = [];
  const present = new Set<string>();
  const wanted: DanglingReference[] = [];
  context.events({ type: "phase", phase: "verify", total: reader.manifest.entries.length });
  for (const entry of reader.manifest.entries) {
    if (context.signal?.aborted) throw new StackferryError("interrupted", "the check was interrupted");
    const record = await reader.read(entry);
    const kind = findKind(record.kind);
    if (!kind) {
      problems.push({
        path: entry.path,
        code: "unknown-kind",
        message: `records of the kind "${record.kind}" are not known`,
      });
      continue;
    }
    const parsed = parseRecord(kind, record.body);
    if (!parsed.ok) problems.push({ path: entry.path, code: "unreadable-record", message: parsed.problem });
    present.add(`${kind.name} ${record.id}`);
    for (const children of kind.children) {
      for (const part of partsOf(record.body, children))
        present.add(`${children.space} ${childId(record.id, partId(part))}`);
    }
    for (const { space, id, pointer, record: to } of findReferences(kind, record.body, new Map())) {
      if (to !== undefined) wanted.push({ path: entry.path, pointer, space, id });
    }
  }
  const dangling = wanted.filter(({ space, id }) => !present.has(`${space} ${id}`));
  return { records: reader.manifest.entries.length, problems, dangling };
}
