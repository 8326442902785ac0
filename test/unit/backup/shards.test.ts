import { expect, it } from "vitest";
import { shardForStack } from "../../../src/backup/backup-all.ts";

it("a fleet is divided into shards of about one size", () => {
  const fifty = Array.from({ length: 50 }, (_, index) => shardForStack(`stack-${String(index)}`, 10));
  const sizes = Array.from({ length: 10 }, (_, shard) => fifty.filter((of) => of === shard).length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(12);
});
