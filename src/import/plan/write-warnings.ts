import type { IdMap } from "../../core/importing/id-map.ts";
import type { Warning } from "../../core/outcome.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import type { Decision } from "./decide/decision.ts";
import { warnOfKept } from "./kept-members.ts";
import { warnOfMerged } from "./merged-items.ts";
import { warnOfShortLived } from "./pointed-to-children.ts";

/** What is known before a record is written of how the target will hold it. */
export function warnOfWrite(decision: Decision, archive: ArchiveIndex, ids: IdMap): Warning[] {
  return [...warnOfKept(decision), ...warnOfMerged(decision, ids), ...warnOfShortLived(decision, archive)];
}
