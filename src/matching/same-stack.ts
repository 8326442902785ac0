import type { StackIdentity } from "../core/records/record.ts";

/**
 * Whether two identities are one stack. A managed service is known by its ids, whatever way leads to it, and another one by its
 * address. Only on one stack is an id a proof: ids of two stacks can be equal by copy, by chance or on purpose.
 */
export function isSameStack(left: StackIdentity, right: StackIdentity): boolean {
  if (left.variant !== right.variant) return false;
  if (left.organizationId === undefined) return left.baseUrl === right.baseUrl && right.organizationId === undefined;
  return left.organizationId === right.organizationId && left.serviceId === right.serviceId;
}
