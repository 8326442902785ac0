import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { Variant } from "../../core/records/record.ts";
import { deletesOf } from "../../import/remove/max-delete.ts";

/** The known rate limits of the two variants (docs/api.md#limits). */
const KNOWN_LIMITS = {
  "self-hosted": { requests: 100, perMs: 60_000 },
  managed: { requests: 10, perMs: 10_000 },
} as const satisfies Record<Variant, { requests: number; perMs: number }>;

/** The expected number of requests of a plan, one per write and two per link of a cycle, and the rate limit that applies. */
export function expectedWork(
  plan: Plan,
  { rate, identity }: Pick<StackSettings, "rate" | "identity">,
): { readonly requests: number; readonly limit: { readonly requests: number; readonly perMs: number } } {
  const writes = plan.items.filter(({ action }) => action === "create" || action === "update");
  const links = writes.filter(({ linksTo }) => linksTo.length > 0);
  const knownLimit = KNOWN_LIMITS[identity.variant];
  const slower =
    rate !== undefined && rate.requests / rate.perMs < knownLimit.requests / knownLimit.perMs ? rate : knownLimit;
  // Each record is read once more before it is linked or deleted.
  const deletes = 2 * deletesOf(plan).length;
  return { requests: writes.length + 2 * links.length + deletes, limit: slower };
}

/** The number of records that a plan would write or delete. */
export function writesOf(plan: Plan): number {
  const writes = plan.items.filter(({ action }) => action === "create" || action === "update");
  return writes.length + deletesOf(plan).length;
}
