import { describe, expect, it } from "vitest";
import { exitCodeOfEnd, exitCodeOfError } from "../../../../src/cli/program/exit-codes.ts";
import { leavesRunIncomplete, type Outcome } from "../../../../src/core/outcome.ts";
import { StackferryError, type ErrorCode } from "../../../../src/core/errors.ts";

describe("exit codes", () => {
  it.each([
    ["usage", 2],
    ["config", 2],
    ["incomplete", 3],
    ["archive-damaged", 4],
    ["archive-unknown", 4],
    ["archive-io", 1],
    ["unauthorized", 5],
    ["forbidden", 5],
    ["unreachable", 6],
    ["unavailable", 6],
    ["rate-limited", 6],
    ["protocol", 6],
    ["locked", 7],
    ["declined", 1],
    ["interrupted", 130],
  ] satisfies [ErrorCode, number][])("the error %s ends with %i", (code, exitCode) => {
    expect(exitCodeOfError(new StackferryError(code, "x"))).toBe(exitCode);
  });

  it("are 1 for an unexpected error", () => {
    expect([exitCodeOfError(new TypeError("x")), exitCodeOfError("thrown")]).toEqual([1, 1]);
  });

  it("are 3 if one record failed or was blocked", () => {
    const done = { kind: "alerts", name: "a", sourceId: "1", action: "create", status: "done" } as const;
    const isComplete = (outcomes: readonly Outcome[]): boolean => !outcomes.some(leavesRunIncomplete);
    expect(exitCodeOfEnd([done], isComplete)).toBe(0);
    expect(exitCodeOfEnd([done, { ...done, status: "failed" }], isComplete)).toBe(3);
    expect(exitCodeOfEnd([done, { ...done, action: "blocked", status: "planned" }], isComplete)).toBe(3);
  });
});
