import type { StackSettings } from "../../config/stack-settings.ts";
import type { Plan } from "../../domain/plan.ts";
import type { Variant } from "../../domain/record.ts";

/** The limits that the two variants are known by (field notes, Rate limits). */
const KNOWN_LIMITS = {
  "self-hosted": { requests: 100, perMs: 60_000 },
  managed: { requests: 10, perMs: 10_000 },
} as const satisfies Record<Variant, { requests: number; perMs: number }>;

/** The requests that a plan will take, one for each write and each link of a cycle, and the limit that they fall under. */
export function expectedWork(
  { items }: Plan,
  { rate, identity }: Pick<StackSettings, "rate" | "identity">,
): { readonly requests: number; readonly limit: { readonly requests: number; readonly perMs: number } } {
  const written = items.filter(({ action }) => action === "create" || action === "update");
  const links = written.filter(({ linksTo }) => linksTo.length > 0);
  const known = KNOWN_LIMITS[identity.variant];
  const slower = rate !== undefined && rate.requests / rate.perMs < known.requests / known.perMs ? rate : known;
  return { requests: written.length + links.length, limit: slower };
}
