import type { RecordKey } from "../../core/record.ts";
import { recordKey } from "../../core/record.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import type { Decision } from "./decide.ts";
import type { Resolution } from "./resolve.ts";
import { willWrite } from "./resolve.ts";
import type { BlockedBy } from "./unresolved.ts";

/** What records that can be written need, and what stands in the way of the others. */
export interface Propagated {
  readonly resolutions: ReadonlyMap<RecordKey, Resolution>;
  readonly blockers: readonly BlockedBy[];
}

/**
 * Blocks what cannot be written, then what needs that, until nothing more is blocked. Changes `decisions`. Again resolved is only
 * what points to something that has been blocked.
 */
export function propagateBlocks(
  decisions: Map<RecordKey, Decision>,
  archive: ArchiveIndex,
  resolve: (decision: Decision) => Resolution,
): Propagated {
  const blockers: BlockedBy[] = [];
  const resolutions = new Map<RecordKey, Resolution>();
  const { users } = archive.links();
  for (let open: Iterable<RecordKey> | undefined = decisions.keys(); open !== undefined;) {
    const blocked: Decision[] = [];
    for (const key of open) {
      const decision = decisions.get(key);
      if (!decision || !willWrite(decision)) continue;
      const resolution = resolve(decision);
      resolutions.set(key, resolution);
      if (resolution.blockers.length > 0) blocked.push(decision);
    }
    for (const decision of blocked) {
      const key = recordKey(decision.kind.name, decision.record.id);
      const against = resolutions.get(key)?.blockers ?? [];
      resolutions.delete(key);
      blockers.push(...against.map((blocker) => ({ key, blocker })));
      const message = [...new Set(against.map((blocker) => blocker.message))].join("; ");
      decisions.set(key, { ...decision, action: "blocked", code: against[0]?.code ?? "blocked", message });
    }
    const next = blocked.flatMap(({ kind, record }) => [...(users.get(recordKey(kind.name, record.id)) ?? [])]);
    open = next.length === 0 ? undefined : new Set(next);
  }
  return { resolutions, blockers };
}
