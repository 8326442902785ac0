import type { RecordKey } from "../domain/record.ts";
import { circles } from "./circles.ts";
import { getOrMake } from "./get-or-make.ts";
import type { Referent } from "./references.ts";

/** How the records of an archive are linked. */
export interface ArchiveLinks {
  /** By record: those that point to it, each once. */
  readonly users: ReadonlyMap<RecordKey, ReadonlySet<RecordKey>>;
  /** Records with one number lead to each other. */
  readonly circleOf: ReadonlyMap<RecordKey, number>;
}

/** Looks once at what each record points to. */
export function archiveLinks(referents: ReadonlyMap<RecordKey, readonly Referent[]>): ArchiveLinks {
  const linked = (key: RecordKey): RecordKey[] =>
    (referents.get(key) ?? []).flatMap(({ record }) => (record ? [record] : []));
  const users = new Map<RecordKey, Set<RecordKey>>();
  for (const user of referents.keys()) {
    for (const key of linked(user)) getOrMake(users, key, () => new Set<RecordKey>()).add(user);
  }
  return { users, circleOf: circles(referents.keys(), linked) };
}
