import { recordedRules } from "./recorded-rules.ts";
import type { FullRule, Topic } from "./rule.ts";
import { alertUpdates } from "./rules/alert-updates.ts";
import { dashboards } from "./rules/dashboards.ts";
import { lists } from "./rules/lists.ts";
import { managed } from "./rules/managed.ts";
import { newerMembers } from "./rules/newer-members.ts";
import { paging } from "./rules/paging.ts";
import { rights } from "./rules/rights.ts";
import { routes } from "./rules/routes.ts";
import { sources } from "./rules/sources.ts";
import { tileAlerts } from "./rules/tile-alerts.ts";
import { webhooks } from "./rules/webhooks.ts";

const TOPICS: readonly Topic[] = [
  dashboards,
  alertUpdates,
  tileAlerts,
  sources,
  webhooks,
  lists,
  paging,
  routes,
  rights,
  managed,
  newerMembers,
];

const WRITTEN: readonly FullRule[] = TOPICS.flatMap(({ topic, request = "", only, rules }) =>
  rules.map((rule) => ({ ...(only && { only }), ...rule, topic, request: rule.request ?? request })),
);

export const RULES: readonly FullRule[] = [
  ...recordedRules(new Set(WRITTEN.flatMap(({ recorded = [] }) => recorded))),
  ...WRITTEN,
];
