import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startOddServer } from "../support/odd-server.ts";
import { documentOf, runCli } from "../support/run-cli.ts";

const id = (letter: string, number: number): string => `${letter.repeat(23)}${number}`;
const env = { STACKFERRY_API_KEY: "key-of-this-run" };

const select = [{ aggFn: "count", where: "", whereLanguage: "lucene" }];
const line = { displayType: "line", sourceId: id("e", 1), asRatio: false, select };
const tile = (number: number, config: object) => ({
  id: `t${number}`,
  name: `Tile ${number}`,
  x: 0,
  y: 0,
  w: 6,
  h: 3,
  config,
});

/** A dashboard with a tile that stands in for another, a silenced alert, and a webhook with members that no answer shows. */
const RECORDS: Readonly<Record<string, readonly { readonly id: string }[]>> = {
  dashboards: [
    {
      id: id("d", 1),
      name: "Overview",
      tags: [],
      tiles: [tile(1, { ...line, fillNulls: true }), tile(2, line)],
    } as { id: string },
  ],
  alerts: [
    {
      id: id("a", 1),
      name: "Errors",
      source: "tile",
      dashboardId: id("d", 1),
      tileId: "t1",
      threshold: 1,
      thresholdType: "above",
      interval: "5m",
      channel: { type: "webhook", webhookId: id("b", 1) },
      silenced: { by: "jo", at: "2026-11-24T20:00:00.000Z", until: "2026-12-24T20:00:00.000Z" },
    } as { id: string },
  ],
  webhooks: [
    { id: id("b", 1), name: "hook", service: "generic", url: "https://hooks.example.com/1" } as { id: string },
  ],
  sources: [
    {
      id: id("e", 1),
      name: "Logs",
      kind: "log",
      connection: id("c", 1),
      from: { databaseName: "d", tableName: "l" },
    } as {
      id: string;
    },
  ],
  connections: [
    { id: id("c", 1), name: "Main", host: "http://store.example.com:8123", username: "r" } as { id: string },
  ],
};

function stack() {
  return startOddServer((request, response) => {
    const [, , , kind = "", one] = new URL(request.url ?? "", "http://localhost").pathname.split("/");
    const data = RECORDS[kind] ?? [];
    const body = one === undefined ? { data } : { data: data.find((each) => each.id === one) };
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
}

describe("what no answer of a stack shows", () => {
  it("is in the manifest, counted where it is known, and makes the kind partial and the export no failure", async () => {
    await using server = await stack();
    const run = await runCli(["export", "--from", server.url, "--out", "a.zip", "--json"], { env });
    const document = documentOf(run);
    expect(document).toMatchObject({
      exitCode: 0,
      kinds: { dashboards: { status: "partial", count: 1 }, alerts: { status: "complete" } },
    });
    const inspected = documentOf(await runCli(["inspect", "a.zip", "--json"], { cwd: run.cwd }));
    const { notHeld } = inspected["manifest"] as { notHeld: { code: string; kind?: string; count?: number }[] };
    const told = notHeld.map(({ code, kind, count }) => [code, kind, count]);
    expect(told).toEqual(
      expect.arrayContaining([
        ["substitute-tiles", "dashboards", 1],
        ["silenced", "alerts", 1],
        ["write-only-members", "webhooks", 1],
        ["write-only-members", "connections", 1],
        ["telemetry", undefined, undefined],
        ["people", undefined, undefined],
        ["routes", undefined, undefined],
      ]),
    );
    expect(document["notHeld"]).toEqual(notHeld);
  });

  it("is said by inspect, its Markdown and the page", async () => {
    await using server = await stack();
    const { cwd, stdout } = await runCli(["export", "--from", server.url, "--out", "a.zip"], { env });
    const text = (await runCli(["inspect", "a.zip"], { cwd })).stdout;
    const markdown = (await runCli(["inspect", "a.zip", "--markdown"], { cwd })).stdout;
    await runCli(["report", "a.zip", "--out", "a.html"], { cwd });
    const page = await readFile(join(cwd, "a.html"), "utf8");
    for (const each of [stdout, text, markdown, page]) expect(each).toContain("Tile 2");
    for (const each of [text, markdown, page]) expect(each).toContain("API keys");
  });

  it("is told where kinds are named that the stack does not have: exit 3 where it has none of them", async () => {
    await using server = await stack();
    const run = await runCli(["export", "--from", server.url, "--kinds", "pipes", "--out", "b.zip", "--json"], { env });
    expect(documentOf(run)).toMatchObject({ exitCode: 3, warnings: [{ code: "not-offered" }] });
    const beside = ["export", "--from", server.url, "--kinds", "alerts,pipes", "--out", "c.zip", "--json"];
    expect(documentOf(await runCli(beside, { env }))).toMatchObject({
      exitCode: 0,
      warnings: [{ code: "not-offered" }],
    });
  });
});
