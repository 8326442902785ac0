import type { StackName } from "./rule.ts";

/** Rules that a sandbox does not hold yet; one that it does hold must not stand here. */
export const PENDING: Readonly<Record<StackName, ReadonlySet<string>>> = {
  "self-hosted": new Set(),
  managed: new Set(),
  "managed-next": new Set(),
};
