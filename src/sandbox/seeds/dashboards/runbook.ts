import type { DashboardInput } from "../../schema/dashboard.ts";
import type { SeedIds } from "../seed-ids.ts";
import { dashboardUrl, tile } from "./tile.ts";

/** Text for whoever is on call; its links carry the ids of other dashboards. */
export function runbook({ sources: { logs }, dashboards }: SeedIds): DashboardInput {
  const steps = [
    "# On call",
    "",
    `1. Start at the [service overview](${dashboardUrl(dashboards.overview)}).`,
    `2. Checkout slow? See [its latency](${dashboardUrl(dashboards.checkout)}?from=now-1h).`,
    "3. Nothing found? Ask in the channel, somebody has seen it before.",
  ];
  return {
    name: "On-call runbook",
    tags: ["on-call"],
    tiles: [
      tile("Steps", [0, 0, 24, 4], { displayType: "markdown", markdown: steps.join("\n") }),
      tile("What the errors have in common", [0, 4, 24, 5], {
        displayType: "event_patterns",
        sourceId: logs,
        select: "Body",
        where: "SeverityText:error",
      }),
    ],
  };
}
