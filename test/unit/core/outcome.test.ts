import { expect, it } from "vitest";
import { countOutcomes } from "../../../src/core/outcome.ts";

const outcome = { kind: "alerts", name: "a", sourceId: "1", action: "create", status: "done" } as const;

it("outcomes are counted by action, and failures apart", () => {
  const outcomes = [
    outcome,
    outcome,
    { ...outcome, status: "failed" as const },
    { ...outcome, action: "skip" as const },
  ];
  expect(countOutcomes(outcomes)).toEqual({ create: 2, failed: 1, skip: 1 });
});
