import { FAULT_ROUTES } from "./faults/plan.ts";
import type { SandboxApi, SandboxVariant } from "./variant.ts";

const WRITES = (word: string): readonly string[] => [`POST ${word}`, `PUT ${word}/{id}`, `DELETE ${word}/{id}`];

const NOT_IN_CONTRACT: Readonly<Record<SandboxVariant, readonly string[]>> = {
  "self-hosted": [
    "root",
    "connections",
    "saved-searches",
    "search",
    "team",
    "POST dashboards/validate",
    "GET sources/{id}",
    ...WRITES("sources"),
    ...WRITES("webhooks"),
  ],
  managed: [
    "POST dashboards/validate",
    "saved-searches",
    "webhooks",
    "GET pipes",
    "GET sources/{id}",
    ...WRITES("sources"),
  ],
};

/** Every name that a deployment may be said not to offer: a router such as `webhooks`, or a route such as `GET webhooks`. */
export function isOfferName(name: string): boolean {
  return FAULT_ROUTES.some((route) => route === name || routerOf(route) === name);
}

/** Says which routes, by their names in the statistics, and which routers a deployment has. */
export interface Offers {
  readonly has: (route: string) => boolean;
  readonly hasRouter: (word: string) => boolean;
}

export function createOffers(variant: SandboxVariant, api: SandboxApi, without: readonly string[]): Offers {
  const missing = new Set([...(api === "contract" ? NOT_IN_CONTRACT[variant] : []), ...without]);
  return {
    has: (route) => !missing.has(route) && !missing.has(routerOf(route)),
    hasRouter: (word) => !missing.has(word),
  };
}

function routerOf(route: string): string {
  return /^[A-Z]+ ([^/]*)/.exec(route)?.[1] ?? "";
}
