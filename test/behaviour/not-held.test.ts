import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startJsonServer } from "../support/fake-server.ts";
import { outcomeLines, type JsonObject } from "../support/import-stage.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { alert, dashboard, hexId, source, tileWith, webhook } from "../support/stack-records.ts";

const select = [{ aggFn: "count", where: "", whereLanguage: "lucene" }];
const line = { displayType: "line", sourceId: hexId("e", 1), asRatio: false, select };
/** The second tile lacks `fillNulls`: it is a substitute for a tile that the API cannot show. */
const tiles = [tileWith("t1", "Tile 1", { ...line, fillNulls: true }), tileWith("t2", "Tile 2", line)];
const overview = dashboard(hexId("d", 1), "Overview", "", { tiles });
const silenced = { by: "jo", at: "2026-11-24T20:00:00.000Z", until: "2026-12-24T20:00:00.000Z" };

/** A silenced alert, and a webhook and a connection with members that no answer shows. */
const RECORDS: Readonly<Record<string, readonly JsonObject[]>> = {
  dashboards: [overview],
  alerts: [alert(hexId("a", 1), "Errors", overview, hexId("b", 1), { silenced })],
  webhooks: [webhook(hexId("b", 1), "hook")],
  sources: [source(hexId("e", 1), "Logs", hexId("c", 1))],
  connections: [{ id: hexId("c", 1), name: "Main", host: "http://store.example.com:8123", username: "r" }],
};
const env = { STACKFERRY_API_KEY: "key-of-this-run" };

function stack() {
  return startJsonServer((kind, id) => {
    const data = RECORDS[kind] ?? [];
    return { data: id === undefined ? data : data.find((each) => each["id"] === id) };
  });
}

describe("records and members that a stack does not show", () => {
  it("are in the manifest, counted if possible, and make the kind partial and the export no failure", async () => {
    await using server = await stack();
    const run = await runCli(["export", "--from", server.url, "--out", "a.zip", "--json"], { env });
    const document = documentOf(run);
    expect(document).toMatchObject({
      exitCode: 0,
      kinds: { dashboards: { status: "partial", count: 1 }, alerts: { status: "complete" } },
    });
    const inspected = documentOf(await runCli(["inspect", "a.zip", "--json"], { cwd: run.cwd }));
    const { notHeld } = inspected["manifest"] as { notHeld: { code: string; kind?: string; count?: number }[] };
    expect(outcomeLines(notHeld, "code", "kind", "count")).toEqual(
      expect.arrayContaining([
        "substitute-tiles dashboards 1",
        "silenced alerts 1",
        "write-only-members webhooks 1",
        "write-only-members connections 1",
        "telemetry",
        "people",
        "routes",
      ]),
    );
    expect(document["notHeld"]).toEqual(notHeld);
  });

  it("are named by inspect, the report and its page", async () => {
    await using server = await stack();
    const { cwd, stdout } = await runCli(["export", "--from", server.url, "--out", "a.zip"], { env });
    const text = (await runCli(["inspect", "a.zip"], { cwd })).stdout;
    const report = (await runCli(["report", "a.zip"], { cwd })).stdout;
    await runCli(["report", "a.zip", "--out", "a.html"], { cwd });
    const page = await readFile(join(cwd, "a.html"), "utf8");
    for (const each of [stdout, text, report, page]) expect(each).toContain("Tile 2");
    for (const each of [text, report, page]) expect(each).toContain("API keys");
  });

  it("are named when the user selects kinds that the stack does not have: exit 3 if it has none of them", async () => {
    await using server = await stack();
    for (const [kinds, exitCode] of [
      ["pipes", 3],
      ["alerts,pipes", 0],
    ] as const) {
      const words = ["export", "--from", server.url, "--kinds", kinds, "--out", `${exitCode}.zip`, "--json"];
      const document = documentOf(await runCli(words, { env }));
      expect(document).toMatchObject({ exitCode, warnings: [{ code: "not-offered" }] });
    }
  });
});
