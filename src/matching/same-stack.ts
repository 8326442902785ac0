import type { StackIdentity } from "../core/records/record.ts";

/**
 * Tells whether two identities mean one stack. Ids identify a managed service, whatever its address; an address identifies any
 * other stack. Only within one stack do equal ids prove the same record: ids of two stacks can be equal by copy, by chance or on
 * purpose.
 */
export function isSameStack(left: StackIdentity, right: StackIdentity): boolean {
  if (left.variant !== right.variant) return false;
  if (left.organizationId === undefined) return left.baseUrl === right.baseUrl && right.organizationId === undefined;
  return left.organizationId === right.organizationId && left.serviceId === right.serviceId;
}
