import type { StackAddress } from "./call-stack.ts";

/** Rules that a sandbox does not hold yet; one that it does hold must not stand here. */
export const PENDING: Readonly<Record<StackAddress["variant"], ReadonlySet<string>>> = {
  "self-hosted": new Set(),
  managed: new Set(),
};
