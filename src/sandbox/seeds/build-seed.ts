import type { Identity } from "../identity.ts";
import type { Mint } from "../mint.ts";
import type { SandboxSeed } from "../options.ts";
import { seedPipe } from "./pipe.ts";
import { PIPES } from "./pipe-sources.ts";
import { sampleAlerts } from "./sample-alerts.ts";
import { sampleDashboards } from "./sample-dashboards.ts";
import { mintSeedIds } from "./seed-ids.ts";
import { seedConnections, seedSources } from "./sources.ts";
import { seedWebhooks } from "./webhooks.ts";

/**
 * The records of a named seed, under new ids on every start. `sample`: a company's stack. `bare`: the same sources and
 * webhooks on a stack that has nothing else, as the place to move the sample to.
 */
export function buildSeed(name: "none" | "bare" | "sample", identity: Identity, now: number, mint: Mint): SandboxSeed {
  if (name === "none") return {};
  const ids = mintSeedIds(mint);
  const at = new Date(now).toISOString();
  const bare = { sources: seedSources(ids), connections: seedConnections(ids), webhooks: seedWebhooks(ids, at) };
  if (name === "bare") return bare;
  const dashboards = sampleDashboards(ids, mint);
  return {
    ...bare,
    dashboards: Object.values(dashboards),
    alerts: sampleAlerts(ids, dashboards, { teamId: identity.teamId, at }, mint),
    pipes: PIPES.map((parts) => seedPipe(parts, identity.serviceId, at, mint)),
  };
}
