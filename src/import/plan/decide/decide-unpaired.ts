import { listed } from "../../../core/text/plural.ts";
import type { StackRecord } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { codeOf } from "../../../kinds/id-spaces.ts";
import type { ImportOptions } from "../../../matching/import-options.ts";
import type { Decision } from "./decision.ts";

/** Of the records that one could be: a stack can have thousands of one name. */
const MOST_NAMED = 5;

export function decideUnpaired(
  kind: ResourceKind,
  record: StackRecord,
  ambiguous: readonly StackRecord[] | undefined,
  options: ImportOptions,
): Decision {
  if (!ambiguous || options.onConflict === "duplicate") return { kind, record, action: "create" };
  const blocked = { kind, record, action: "blocked", code: codeOf("ambiguous", kind.name) } as const;
  const [only] = ambiguous;
  if (only?.id === record.id && ambiguous.length === 1) return { ...blocked, message: onlyIdMessage(kind, only) };
  if (only && ambiguous.length === 1) return { ...blocked, message: severalForOneMessage(kind, only) };
  return { ...blocked, message: severalThereMessage(kind, ambiguous) };
}

/** Several of the target could be the record. */
export function severalThereMessage(kind: ResourceKind, there: readonly StackRecord[]): string {
  const named = listed(there, MOST_NAMED, ({ id }) => id);
  return `${there.length} ${kind.name} of the target could be it (${named}); name the right one in a map file`;
}

/** Records of the archive that are alike, and fewer of them on the target, changed since: which it was is not to be seen. */
function severalForOneMessage(kind: ResourceKind, { id, name }: StackRecord): string {
  const several = `several ${kind.name} of the archive could be the ${kind.singular} "${name}" of the target (${id})`;
  return `${several}; name the one that it is in a map file, and the others are created`;
}

/** Ids of two stacks can be equal by chance, by copy or on purpose, and then an update would overwrite something else. */
function onlyIdMessage(kind: ResourceKind, { id, name }: StackRecord): string {
  const there = `the target, which is another stack, has the ${kind.singular} "${name}" under its id ${id}, and nothing else is alike`;
  return `${there}; a map file that names it makes it this one, --on-conflict duplicate creates another`;
}
