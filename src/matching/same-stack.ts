import type { StackIdentity } from "../core/records/record.ts";

/**
 * Tells whether two identities mean one stack. A managed service is identified by its ids, whatever its address; any other stack by
 * its address. Only within one stack is an equal id proof: ids of two stacks can be equal by copy, by chance or on purpose.
 */
export function isSameStack(left: StackIdentity, right: StackIdentity): boolean {
  if (left.variant !== right.variant) return false;
  if (left.organizationId === undefined) return left.baseUrl === right.baseUrl && right.organizationId === undefined;
  return left.organizationId === right.organizationId && left.serviceId === right.serviceId;
}
