import type { Mint } from "../mint.ts";

type SourceKey = "logs" | "traces" | "metrics" | "sessions" | "audit";
export type WebhookKey = "slack" | "pager" | "incident";
export type DashboardKey =
  | "overview"
  | "checkout"
  | "runbook"
  | "kubernetes"
  | "costs"
  | "browser"
  | "database"
  | "audit"
  | "objectives";

/** The ids that the records of a seed name each other by; new on every start. */
export interface SeedIds {
  readonly sources: Readonly<Record<SourceKey, string>>;
  readonly webhooks: Readonly<Record<WebhookKey, string>>;
  readonly dashboards: Readonly<Record<DashboardKey, string>>;
  readonly connections: { readonly primary: string; readonly archive: string };
}

export function mintSeedIds({ id }: Mint): SeedIds {
  return {
    sources: { logs: id(), traces: id(), metrics: id(), sessions: id(), audit: id() },
    webhooks: { slack: id(), pager: id(), incident: id() },
    dashboards: {
      overview: id(),
      checkout: id(),
      runbook: id(),
      kubernetes: id(),
      costs: id(),
      browser: id(),
      database: id(),
      audit: id(),
      objectives: id(),
    },
    connections: { primary: id(), archive: id() },
  };
}
