import type { RecordKey } from "../domain/record.ts";
import type { ArchiveIndex } from "./archive-index.ts";
import { groupBy } from "./group-by.ts";

/** By record of the archive: those that point to it, each once. */
export function usersOf({ referents }: ArchiveIndex): Map<RecordKey, Set<RecordKey>> {
  const links = [...referents].flatMap(([user, all]) =>
    all.flatMap(({ record }) => (record ? [{ record, user }] : [])),
  );
  const byRecord = groupBy(links, ({ record }) => record);
  return new Map([...byRecord].map(([record, some]) => [record, new Set(some.map(({ user }) => user))]));
}
