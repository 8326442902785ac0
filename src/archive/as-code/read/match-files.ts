import { groupBy } from "../../../core/collections.ts";
import type { KindName, RecordKey, StackRecord } from "../../../core/records/record.ts";
import { recordKey } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import type { CodeEntry } from "./entries.ts";
import type { Label } from "../write/file-keys.ts";
import { plainName } from "../plain-names.ts";
import type { TargetRecords } from "./resolve-names.ts";

/** Returns the name that a file's record has on the target. */
export type RenameRecord = (kind: ResourceKind, name: string) => string;

/**
 * Pairs each file's record, by its id, with the target's record of the same label. If several records have one name, their labels
 * count only if both sides have the same labels for that name; otherwise the content decides. Kinds that are only matched are not
 * paired here, because a name alone proves nothing for them: the import's own rules compare more than the name.
 */
export function pairLabels(
  entries: readonly CodeEntry[],
  target: ReadonlyMap<KindName, TargetRecords>,
  labels: ReadonlyMap<RecordKey, Label>,
  renamed: RenameRecord = (_, name) => name,
): ReadonlyMap<string, StackRecord> {
  const pairs = new Map<string, StackRecord>();
  for (const [kind, ofKind] of groupBy(entries, (entry) => entry.kind.name)) {
    const labelOf = (record: StackRecord): string => labels.get(recordKey(kind, record.id))?.label ?? "";
    const targetByName = groupBy(target.get(kind)?.records ?? [], plainName);
    for (const [name, group] of groupBy(ofKind, (entry) => renamed(entry.kind, entry.plain))) {
      const byLabel = new Map((targetByName.get(name) ?? []).map((record) => [labelOf(record), record]));
      const called = group.map(({ label, plain, ...entry }) => ({ ...entry, label: label === plain ? name : label }));
      if (!isTold(called, byLabel)) continue;
      for (const { id, label } of called) {
        const record = byLabel.get(label);
        if (record !== undefined) pairs.set(id, record);
      }
    }
  }
  return pairs;
}

function isTold(
  group: readonly Pick<CodeEntry, "kind" | "label" | "code">[],
  byLabel: ReadonlyMap<string, StackRecord>,
): boolean {
  const [first] = group;
  if (first === undefined || group.length !== byLabel.size || !group.every(({ label }) => byLabel.has(label)))
    return false;
  if (group.length === 1) return first.kind.importPolicy.when === "always";
  // The order of the target's labels may depend on a redacted value.
  return !group.some(({ code }) => JSON.stringify(code).includes("«redacted:"));
}
