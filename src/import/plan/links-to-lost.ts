import type { Warning } from "../../core/outcome.ts";
import { recordKey } from "../../core/records/record.ts";
import { nameOfRecord } from "../../kinds/id-spaces.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { targetsOf } from "../remove/dependents.ts";
import type { Decision } from "./decide/decision.ts";
import { decisionKey } from "./decide/decision.ts";

/**
 * Warns of target records that reference a record which is gone and is created again: it gets another id, so their links stay dead.
 * The archive is from this very stack, so its ids mean the same records there.
 */
export function linksToLost(
  decisions: Iterable<Decision>,
  archive: ArchiveIndex,
  { kinds: lists }: Inventory,
): Warning[] {
  const allDecisions = [...decisions];
  const again = new Map(
    allDecisions.flatMap((decision) =>
      decision.action === "create" ? [[decisionKey(decision), decision.record]] : [],
    ),
  );
  if (again.size === 0) return [];
  const updated = new Set(
    allDecisions.flatMap(({ kind, targetId, action }) =>
      action === "update" && targetId !== undefined ? [recordKey(kind.name, targetId)] : [],
    ),
  );
  return [...lists.values()].flatMap(({ records }) =>
    records.flatMap((record): Warning[] => {
      const key = recordKey(record.kind, record.id);
      if (updated.has(key)) return [];
      const lost = [...new Set(targetsOf(record.kind, record.body))].flatMap((target) => again.get(target) ?? []);
      const next = archive.byKey.has(key)
        ? `a second run with --only "${record.name}" --on-conflict update sets the link again, and overwrites that record with the archive's`
        : "set the link by hand";
      return lost.map((lostRecord) => ({
        code: "dead-link",
        message: `${nameOfRecord(record)} on the target links to the old id of ${nameOfRecord(lostRecord)}, which gets a new one: ${next}`,
      }));
    }),
  );
}
