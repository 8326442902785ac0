import type { RecordKey } from "../../core/records/record.ts";
import { blockCredentials, blockUnwritable } from "./decide/block-unwritable.ts";
import type { Decision, DecisionBasis } from "./decide/decision.ts";
import { blockWithoutSecrets } from "./decide/missing-secrets.ts";
import { blockCascadeDeletes, blockHiddenLoss, nameHiddenContent, type HiddenContentLoss } from "./update-losses.ts";
import { blockRefused } from "./variant-rules.ts";

/**
 * Blocks the writes that lack a secret, that the target would refuse, that would delete content of the target, or that would send a
 * credential. Adds to an update what it may delete unseen.
 */
export function guardAll(
  decided: ReadonlyMap<RecordKey, Decision>,
  basis: DecisionBasis,
  loss: HiddenContentLoss,
): Map<RecordKey, Decision> {
  const guard = (decision: Decision): Decision => {
    const writable = blockUnwritable(blockWithoutSecrets(decision, basis), basis);
    const keeping = blockHiddenLoss(blockCascadeDeletes(writable, basis), loss);
    return nameHiddenContent(blockCredentials(blockRefused(keeping, basis), basis), basis, loss);
  };
  return new Map([...decided].map(([key, decision]) => [key, guard(decision)]));
}
