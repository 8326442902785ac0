import { createArchiveWriter } from "../../src/archive/writer.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { sampleHeader } from "./archive-samples.ts";

const SOURCE_ID = "6b00e155e5757e17d9e5006a";
const DASHBOARD_ID = "6b00e15be5757e17d9e50091";
const WEBHOOK_ID = "6b00e155e5757e17d9e50073";
const tile = {
  id: "t1",
  name: "Requests",
  x: 0,
  y: 0,
  w: 12,
  h: 4,
  config: { displayType: "line", sourceId: SOURCE_ID },
};

/** What the golden archives of format version 1 hold, in their order. Must never change. */
export const goldenRecords: readonly StackRecord[] = [
  record("dashboards", DASHBOARD_ID, "Übersicht 🚢", { tiles: [tile], filters: [], tags: ["prod"] }),
  record("dashboards", "Odd/../id ☂", "", { tiles: [], "": null, tenth: true, ninth: -1.5e-9 }),
  record("alerts", "6b00e15ce5757e17d9e500a2", "Too many errors", {
    dashboardId: DASHBOARD_ID,
    tileId: "t1",
    threshold: 10,
    channel: { type: "webhook", webhookId: WEBHOOK_ID },
    message: "line one\nline two \u2028 \u0000 \ud800",
  }),
  record("sources", SOURCE_ID, "Logs", { kind: "log", from: { databaseName: "default", tableName: "logs" } }),
  record("webhooks", WEBHOOK_ID, "oncall", {
    service: "slack",
    url: "https://hooks.example.com/«redacted:webhook-url»",
  }),
];

/** Writes the golden archive of today's format version. */
export async function writeGolden(path: string, format: "zip" | "folder"): Promise<void> {
  await using writer = await createArchiveWriter({ path, format });
  for (const golden of goldenRecords) await writer.add(golden);
  const redactions = [{ path: `webhooks/${WEBHOOK_ID}.json`, pointer: "/url", rule: "webhook-url" }];
  const warnings = [{ code: "example", message: "a warning" }];
  await writer.finish(sampleHeader(goldenRecords, { redactions, warnings }));
}

function record(kind: string, id: string, name: string, body: StackRecord["body"]): StackRecord {
  return { kind, id, name, body: { ...body, id, name } };
}
