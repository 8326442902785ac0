import type { SandboxRecord } from "../record.ts";
import type { SeedIds } from "./seed-ids.ts";

/** One webhook of each service; the URLs have the form of a credential and are none. */
export function seedWebhooks({ webhooks }: SeedIds, at: string): readonly SandboxRecord[] {
  const stamps = { updatedAt: at, createdAt: at };
  return [
    {
      id: webhooks.slack,
      name: "oncall-slack",
      url: "https://hooks.slack.com/services/T0EXAMPLE/B0EXAMPLE/not-a-real-token",
      ...stamps,
      service: "slack",
    },
    {
      id: webhooks.pager,
      name: "pager",
      url: "https://pager.example.com/hook?key=not-a-real-key",
      description: "Wakes whoever is on duty",
      ...stamps,
      service: "generic",
      body: '{"title":"{{title}}","link":"{{link}}"}',
    },
    {
      id: webhooks.incident,
      name: "incidents",
      url: "https://api.incident.io/v2/alert_events/http/NOT-A-REAL-SOURCE",
      ...stamps,
      service: "incidentio",
    },
  ];
}
