import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openArchive } from "../../../src/archive/reader.ts";
import { createArchiveWriter } from "../../../src/archive/writer.ts";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { filesBelow, readArchive, sampleHeader } from "../../support/archive-samples.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const fixtures = join(import.meta.dirname, "../../fixtures/archives");
const DIGEST = "ab9dec59a5bed6b940104cd86fce3ac0d290db520fb312de26f94efd4875633c";

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

/** The content of the golden archives of format version 1, in their order. It must never change. */
const goldenRecords: readonly StackRecord[] = [
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
async function writeGolden(path: string, format: "zip" | "folder"): Promise<void> {
  await using writer = await createArchiveWriter({ path, format });
  for (const golden of goldenRecords) await writer.add(golden);
  const redactions = [{ path: `webhooks/${WEBHOOK_ID}.json`, pointer: "/url", rule: "webhook-url" }];
  const warnings = [{ code: "example" as never, message: "a warning" }];
  await writer.finish(sampleHeader(goldenRecords, { redactions, warnings }));
}

function record(kind: string, id: string, name: string, body: StackRecord["body"]): StackRecord {
  return { kind, id, name, body: { ...body, id, name } };
}

// GOLDEN=write writes the archives that are missing. A committed archive is never written again.
const missing = ["v1.zip", "v1-folder"].filter((name) => !existsSync(join(fixtures, name)));
it.runIf(process.env["GOLDEN"] === "write" && missing.length > 0)("the script writes golden archives", async () => {
  for (const name of missing) await writeGolden(join(fixtures, name), name.endsWith(".zip") ? "zip" : "folder");
});

describe.each(["v1.zip", "v1-folder"])("the golden archive %s", (name) => {
  it("reads as it was written", async () => {
    await using reader = await openArchive(join(fixtures, name));
    expect(reader.summary).toMatchObject({ formatVersion: 1, contentDigest: DIGEST });
    expect(await readArchive(join(fixtures, name))).toEqual(goldenRecords);
    expect(reader.manifest.redactions).toHaveLength(1);
  });
});

it("the newest golden archive would be written today exactly as it was then", async () => {
  const folder = temporaryFolder();
  await writeGolden(join(folder, "again"), "folder");
  expect(await filesBelow(join(folder, "again"))).toEqual(await filesBelow(join(fixtures, "v1-folder")));
});
