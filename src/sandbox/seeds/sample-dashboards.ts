import { createdDashboard } from "../forms/dashboard-form.ts";
import type { Mint } from "../mint.ts";
import type { SandboxRecord } from "../record.ts";
import type { DashboardInput } from "../schema/dashboard.ts";
import { newDashboardSchema } from "../schema/dashboard.ts";
import { audit } from "./dashboards/audit.ts";
import { browser } from "./dashboards/browser.ts";
import { checkout } from "./dashboards/checkout.ts";
import { costs } from "./dashboards/costs.ts";
import { database } from "./dashboards/database.ts";
import { kubernetes } from "./dashboards/kubernetes.ts";
import { objectives } from "./dashboards/objectives.ts";
import { overview } from "./dashboards/overview.ts";
import { runbook } from "./dashboards/runbook.ts";
import type { DashboardKey, SeedIds } from "./seed-ids.ts";

const BODIES: Readonly<Record<DashboardKey, (ids: SeedIds) => DashboardInput>> = {
  overview,
  checkout,
  runbook,
  kubernetes,
  costs,
  browser,
  database,
  audit,
  objectives,
};

/** The dashboards of the sample, made by the code that makes those of a request: the links alone are there at once. */
export function sampleDashboards(ids: SeedIds, mint: Mint): Readonly<Record<DashboardKey, SandboxRecord>> {
  const made = (key: DashboardKey): SandboxRecord =>
    createdDashboard(newDashboardSchema.parse(BODIES[key](ids)), mint, ids.dashboards[key]);
  return {
    overview: made("overview"),
    checkout: made("checkout"),
    runbook: made("runbook"),
    kubernetes: made("kubernetes"),
    costs: made("costs"),
    browser: made("browser"),
    database: made("database"),
    audit: made("audit"),
    objectives: made("objectives"),
  };
}
