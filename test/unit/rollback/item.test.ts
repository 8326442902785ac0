import { expect, it } from "vitest";
import { isNotUndone } from "../../../src/rollback/item.ts";

const skipped = (code: string) =>
  ({ kind: "dashboards", name: "One", sourceId: "a", action: "skip", status: "planned", code }) as const;

it.each([
  ["redacted", true],
  ["write-only", true],
  ["no-previous", true],
  ["unproven", true],
  ["ambiguous", true],
  ["dependency-failed", true],
  ["would-lose-hidden", true],
  ["hidden-lost", true],
  ["gone", false],
  ["put-back", false],
  ["changed-since", true],
  ["in-use", true],
  ["later-run", true],
] as const)("a record that a rollback left alone as %s leaves it incomplete: %s", (code, expected) => {
  expect(isNotUndone(skipped(code))).toBe(expected);
});
