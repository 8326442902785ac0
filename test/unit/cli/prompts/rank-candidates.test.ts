import { describe, expect, it } from "vitest";
import { rankCandidates } from "../../../../src/cli/prompts/rank-candidates.ts";
import type { JsonObject } from "../../../../src/core/json.ts";

describe("rankCandidates", () => {
  const bodies: Readonly<Record<string, JsonObject>> = {
    a: { name: "Audit", kind: "log", from: { tableName: "audit" }, connection: "c1", createdAt: "2026" },
    b: { name: "Application logs", kind: "log", from: { tableName: "otel_logs" } },
    c: { name: "Traces", kind: "trace", from: { tableName: "otel_traces" } },
  };
  const entry = {
    space: "sources",
    id: "x",
    name: "Logs",
    reason: "missing",
    candidates: Object.entries(bodies).map(([id, body]) => ({ id, name: String(body["name"]) })),
    neededBy: 1,
  } as const;
  const wanted = {
    id: "x",
    name: "Logs",
    kind: "log",
    from: { tableName: "otel_logs" },
    connection: "c1",
    createdAt: "2026",
  };

  it("puts the most similar candidate first, with the members that distinguish it as reasons", () => {
    const ranked = rankCandidates(entry, { record: wanted, candidate: (id) => bodies[id] });
    expect(ranked.map(({ id }) => id)).toEqual(["b", "a", "c"]);
    expect(ranked[0]?.reasons).toEqual([
      "a name 70 % alike",
      "the same kind (log)",
      "the same from.tableName (otel_logs)",
    ]);
    expect(ranked[2]?.reasons).toEqual([]);
  });

  it("puts a name that has all words of the other before a record of the same database", () => {
    const from = (databaseName: string, tableName: string): JsonObject => ({
      kind: "log",
      from: { databaseName, tableName },
    });
    const sources = { app: from("telemetry", "app_logs"), audit: from("default", "audit_log") };
    const candidates = [
      { id: "audit", name: "Audit log" },
      { id: "app", name: "Application logs" },
    ];
    const compared = {
      record: from("default", "otel_logs"),
      candidate: (id: string) => (id === "app" ? sources.app : sources.audit),
    };
    expect(rankCandidates({ ...entry, candidates }, compared).map(({ id }) => id)).toEqual(["app", "audit"]);
  });

  it("compares only names if the bodies are missing", () => {
    const ranked = rankCandidates({ ...entry, name: "traces" }, { record: undefined, candidate: () => undefined });
    expect(ranked[0]).toMatchObject({ id: "c", reasons: ["the same name apart from case or punctuation"] });
  });
});
