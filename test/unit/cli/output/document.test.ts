import { describe, expect, it } from "vitest";
import { countOutcomes } from "../../../../src/core/outcome.ts";
import { reportDocument } from "../../../../src/cli/output/document.ts";
import { proxyEnv } from "../../../../src/cli/program/io.ts";
import { runCli } from "../../../support/run-cli.ts";

const outcome = { kind: "alerts", name: "a", sourceId: "1", action: "create", status: "done" } as const;

describe("the report", () => {
  it("counts by action, and failures apart", () => {
    const outcomes = [
      outcome,
      outcome,
      { ...outcome, status: "failed" as const },
      { ...outcome, action: "skip" as const },
    ];
    expect(countOutcomes(outcomes)).toEqual({ create: 2, failed: 1, skip: 1 });
  });

  it("has every member whatever happened, and adds up the clients", () => {
    const counts = { total: 2, retried: 1, rateLimited: 0, waitedMs: 5 };
    const runState = { outcomes: [outcome], warnings: [], requestCounts: [() => counts, () => counts] };
    const end = { command: "import", exitCode: 10, startedAt: 0, endedAt: 7 } as const;
    expect(reportDocument(end, runState)).toMatchObject({
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
});

it("is an error like any other where there is more to print than a text can hold", async () => {
  const onStdout = (): never => {
    throw new RangeError("Invalid string length");
  };
  const { exitCode, stderr } = await runCli(["completion", "bash"], { onStdout });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("Invalid string length");
  expect(stderr).not.toContain("at ");
});

describe("proxyEnv", () => {
  it("takes either case, the lower one first", () => {
    const env = { HTTPS_PROXY: "http://upper", https_proxy: "http://lower", NO_PROXY: "localhost" };
    expect(proxyEnv(env)).toEqual({ https_proxy: "http://lower", no_proxy: "localhost" });
    expect(proxyEnv({ no_proxy: "localhost" })).toBeUndefined();
  });
});
