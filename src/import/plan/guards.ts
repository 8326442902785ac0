import type { RecordKey } from "../../core/records/record.ts";
import { blockCredentials, blockUnwritable } from "./decide/block-unwritable.ts";
import type { Decision, DecisionBasis } from "./decide/decision.ts";
import { blockWithoutSecrets } from "./decide/missing-secrets.ts";
import type { MirrorBasis } from "../remove/mirror.ts";
import { blockCascadeDeletes, blockHiddenLoss, nameHiddenContent, type HiddenContentLoss } from "./update-losses.ts";
import { blockRefused } from "./variant-rules.ts";

/**
 * Blocks the writes that lack a secret, that the target would refuse, that would delete content of the target, or that would send a
 * credential. Adds to an update what it may delete unseen.
 */
export function guardAll(
  decided: ReadonlyMap<RecordKey, Decision>,
  basis: DecisionBasis & { readonly mirror?: MirrorBasis | undefined },
  loss: HiddenContentLoss,
): Map<RecordKey, Decision> {
  const writable = mapDecisions(decided, (decision) => blockUnwritable(blockWithoutSecrets(decision, basis), basis));
  return mapDecisions(writable, (decision) => {
    // An alert that cannot be written does not move away from a tile, so these guards come second.
    const keeping = blockHiddenLoss(blockCascadeDeletes(decision, writable, basis), loss);
    return nameHiddenContent(blockCredentials(blockRefused(keeping, basis), basis), basis, loss);
  });
}

function mapDecisions(
  decisions: ReadonlyMap<RecordKey, Decision>,
  change: (decision: Decision) => Decision,
): Map<RecordKey, Decision> {
  return new Map([...decisions].map(([key, decision]) => [key, change(decision)]));
}
