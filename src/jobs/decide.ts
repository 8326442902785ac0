import type { JsonObject } from "../domain/json.ts";
import { recordKey } from "../domain/record.ts";
import type { RecordKey, StackRecord } from "../domain/record.ts";
import { isSelected } from "../domain/record-filter.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import { codeOf, nounOf } from "../kinds/id-spaces.ts";
import { kinds } from "../kinds/registry.ts";
import { referencesOf } from "./archive-index.ts";
import type { ArchiveIndex } from "./archive-index.ts";
import type { ImportOptions } from "./import-options.ts";
import type { Matching } from "./match-all.ts";
import { content } from "./match-records.ts";
import { translate } from "./pair-kind.ts";
import { partId, partsOf } from "./parts.ts";
import { childId } from "../domain/id-map.ts";

/** What would be done with a record if all that it points to can be had. */
export interface Decision {
  readonly kind: ResourceKind;
  readonly record: StackRecord;
  readonly action: "create" | "update" | "skip" | "unchanged" | "blocked";
  readonly targetId?: string;
  readonly targetBody?: JsonObject;
  readonly code?: string;
  readonly message?: string;
}

/**
 * Decides on every record that is asked for and can be written. Under `duplicate`, the pairing of a record that differs is
 * taken back out of the matching's ids, so that what points to it follows the copy.
 */
export function decideAll(archive: ArchiveIndex, matching: Matching, options: ImportOptions): Map<RecordKey, Decision> {
  const decisions = new Map<RecordKey, Decision>();
  const copied = new Set<RecordKey>();
  for (const kind of kinds.filter((each) => each.notReplayed === undefined)) {
    if (options.kinds.length > 0 && !options.kinds.includes(kind.name)) continue;
    for (const record of archive.byKind.get(kind.name) ?? []) {
      if (!isSelected(record, options.filter)) continue;
      const key = recordKey(kind.name, record.id);
      const ofCopy = referencesOf(archive, record).some(({ checked, record: to }) => checked && to && copied.has(to));
      const decision = ofCopy
        ? ({ kind, record, action: "create" } as const)
        : decide(kind, record, archive, matching, options);
      if (ofCopy || (decision.action === "create" && matching.pairs.get(kind.name)?.pairs.has(record.id))) {
        copied.add(key);
        forget(kind, record, matching);
      }
      decisions.set(key, decision);
    }
  }
  return decisions;
}

function decide(
  kind: ResourceKind,
  record: StackRecord,
  archive: ArchiveIndex,
  matching: Matching,
  options: ImportOptions,
): Decision {
  const paired = matching.pairs.get(kind.name);
  const target = paired?.pairs.get(record.id);
  const ambiguous = paired?.ambiguous.get(record.id);
  if (!target) {
    if (!ambiguous || options.onConflict === "duplicate") return { kind, record, action: "create" };
    const code = codeOf("ambiguous", kind.name);
    const message = `the target has ${ambiguous.length} ${kind.name} that it could be (${ambiguous.map(({ id }) => id).join(", ")}); name the right one in a map file`;
    return { kind, record, action: "blocked", code, message };
  }
  const there = { kind, record, targetId: target.id } as const;
  const { body } = translate(kind, record, archive, options, matching.ids);
  if (content(kind, body) === content(kind, target.body)) return { ...there, action: "unchanged" };
  if (options.onConflict === "update") return { ...there, action: "update", targetBody: target.body };
  if (options.onConflict === "duplicate") return { kind, record, action: "create" };
  const message = `the target has this ${nounOf(kind.name)} with other content; --on-conflict says what to do with it`;
  if (options.onConflict === "fail") return { ...there, action: "blocked", code: "conflict", message };
  return { ...there, action: "skip", code: "exists", message };
}

function forget(kind: ResourceKind, record: StackRecord, matching: Matching): void {
  matching.ids.delete(kind.name, record.id);
  for (const children of kind.children) {
    for (const part of partsOf(record.body, children))
      matching.ids.delete(children.space, childId(record.id, partId(part)));
  }
}
