import { expect, it } from "vitest";
import { buildJsonDocument } from "../../../../src/cli/output/document.ts";

const outcome = { kind: "alerts", name: "a", sourceId: "1", action: "create", status: "done" } as const;

it("the JSON document has every member, and sums the request counts of the clients", () => {
  const counts = { total: 2, retried: 1, rateLimited: 0, waitedMs: 5 };
  const runState = { outcomes: [outcome], warnings: [], requestCounts: [() => counts, () => counts] };
  const end = { command: "import", exitCode: 10, startedAt: 0, endedAt: 7 } as const;
  expect(buildJsonDocument(end, runState)).toMatchObject({
    command: "import",
    ok: true,
    exitCode: 10,
    startedAt: "1970-01-01T00:00:00.000Z",
    durationMs: 7,
    counts: { create: 1 },
    outcomes: [outcome],
    warnings: [],
    requests: { total: 4, retried: 2, rateLimited: 0, waitedMs: 10 },
  });
});
