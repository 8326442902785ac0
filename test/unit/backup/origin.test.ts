import { expect, it } from "vitest";
import { isOtherStack, digestOrigin } from "../../../src/backup/history/origin.ts";
import type { RecordKey } from "../../../src/core/records/record.ts";

const stackAt = (baseUrl: string) => ({ variant: "self-hosted", baseUrl }) as const;
const ids = (prefix: string, count: number): RecordKey[] =>
  Array.from({ length: count }, (_, index): RecordKey => `dashboards/${prefix}${index}`);
const old = (keys: readonly RecordKey[]) => digestOrigin(stackAt("http://old.test"), keys);
const moved = (keys: readonly RecordKey[]) => digestOrigin(stackAt("http://new.test"), keys);

it.each([
  ["other ids, as many", ids("a", 40), ids("b", 40), true],
  ["other ids on a stack fifty times as large", ids("a", 20), ids("b", 1000), true],
  ["other ids on a stack a fiftieth as large", ids("a", 1000), ids("b", 20), true],
  ["the same ids", ids("a", 1000), ids("a", 1000), false],
  ["the same ids and a few more", ids("a", 40), [...ids("a", 40), ...ids("b", 10)], false],
  ["no ids any more", ids("a", 20), [], false],
])("a stack at another address with %s", (_, before, after, isOther) => {
  expect(isOtherStack(old(before), moved(after))).toBe(isOther);
});

it("a stack at the same address is the same stack, whatever its ids", () => {
  expect(isOtherStack(old(ids("a", 40)), old(ids("b", 40)))).toBe(false);
});
