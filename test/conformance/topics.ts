import type { Rule, Topic } from "./rule.ts";
import { alertRules } from "./rules/alert-rules.ts";
import { alertUpdates } from "./rules/alert-updates.ts";
import { bounds } from "./rules/bounds.ts";
import { channels } from "./rules/channels.ts";
import { colours } from "./rules/colours.ts";
import { connections } from "./rules/connections.ts";
import { containerUpdates } from "./rules/container-updates.ts";
import { containers } from "./rules/containers.ts";
import { dashboardMembers } from "./rules/dashboard-members.ts";
import { filters } from "./rules/filters.ts";
import { formulas } from "./rules/formulas.ts";
import { heatmapsAndSelects } from "./rules/heatmaps-and-selects.ts";
import { legacySeries } from "./rules/legacy-series.ts";
import { links } from "./rules/links.ts";
import { lists } from "./rules/lists.ts";
import { managed } from "./rules/managed.ts";
import { nextRelease } from "./rules/next-release.ts";
import { omittedMembers } from "./rules/omitted-members.ts";
import { paging } from "./rules/paging.ts";
import { references } from "./rules/references.ts";
import { routes } from "./rules/routes.ts";
import { savedQueries } from "./rules/saved-queries.ts";
import { savedSearches } from "./rules/saved-searches.ts";
import { sources } from "./rules/sources.ts";
import { tileAlerts } from "./rules/tile-alerts.ts";
import { webhooks } from "./rules/webhooks.ts";

/** A rule with all that its topic says. */
export type FullRule = Rule & { readonly topic: string; readonly request: string };

const TOPICS: readonly Topic[] = [
  savedQueries,
  dashboardMembers,
  formulas,
  filters,
  colours,
  heatmapsAndSelects,
  links,
  containers,
  containerUpdates,
  legacySeries,
  bounds,
  references,
  alertRules,
  alertUpdates,
  channels,
  tileAlerts,
  webhooks,
  connections,
  sources,
  savedSearches,
  omittedMembers,
  lists,
  paging,
  routes,
  managed,
  nextRelease,
];

export const RULES: readonly FullRule[] = TOPICS.flatMap(({ topic, request = "", only, rules }) =>
  rules.map((rule) => ({ ...(only && { only }), ...rule, topic, request: rule.request ?? request })),
);
