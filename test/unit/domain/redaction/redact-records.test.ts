import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../../src/domain/record.ts";
import { createRedactor } from "../../../../src/domain/redaction/create-redactor.ts";
import type { Redactor } from "../../../../src/domain/redaction/create-redactor.ts";
import { redactRecords } from "../../../../src/jobs/redact-records.ts";
import { dashboards } from "../../../../src/kinds/dashboards.ts";

const record = (number: number, more: object = {}): StackRecord => {
  const id = String(number);
  return { kind: "dashboards", id, name: `n ${id}`, body: { id, name: `n ${id}`, ...more } };
};

async function* oneByOne(records: readonly StackRecord[], error?: Error): AsyncGenerator<StackRecord> {
  yield* records;
  if (error) throw error;
}

async function idsOf(records: Iterable<StackRecord> | AsyncIterable<StackRecord>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { record } of redactRecords(dashboards, records, createRedactor())) ids.push(record.id);
  return ids;
}

describe("redacting records", () => {
  const many = Array.from({ length: 120 }, (_, index) => record(index));
  const ids = many.map(({ id }) => id);

  it("keeps their order, whether they are all there or come one by one", async () => {
    expect(await idsOf(many)).toEqual(ids);
    expect(await idsOf(oneByOne(many))).toEqual(ids);
    expect(await idsOf([])).toEqual([]);
  });

  it("takes the name from the redacted body", async () => {
    const secret = { ...record(1, { password: "x-1" }), name: "old" };
    for await (const { record, redactions } of redactRecords(dashboards, [secret], createRedactor())) {
      expect(record).toMatchObject({ name: "n 1", body: { password: "«redacted:credential»" } });
      expect(redactions).toEqual([{ pointer: "/password", rule: "credential" }]);
    }
  });

  it("has no more in hand than some, and of large ones few", async () => {
    let [inHand, most] = [0, 0];
    const redact: Redactor = async (_, body) => {
      inHand += 1;
      most = Math.max(most, inHand);
      await Promise.resolve();
      return { body, redactions: [] };
    };
    const atOnce = async (records: readonly StackRecord[]): Promise<number> => {
      [inHand, most] = [0, 0];
      for await (const _ of redactRecords(dashboards, oneByOne(records), redact)) inHand -= 1;
      return most;
    };
    expect(await atOnce(many)).toBe(50);
    expect(await atOnce(many.map((_, index) => record(index, { text: "x".repeat(400_000) })))).toBe(3);
    expect(await atOnce(many.map((_, index) => record(index, { list: Array(200_000).fill(0) })))).toBe(1);
  });

  it("gives what came before an error, and then the error", async () => {
    const ids: string[] = [];
    const reading = async (): Promise<void> => {
      const records = oneByOne(many.slice(0, 60), new Error("lost"));
      for await (const { record } of redactRecords(dashboards, records, createRedactor())) ids.push(record.id);
    };
    await expect(reading()).rejects.toThrow("lost");
    expect(ids).toHaveLength(60);
  });
});
