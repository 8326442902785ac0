import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createRecordEncoder } from "../../../src/archive/encode-record.ts";
import { StackferryError } from "../../../src/domain/errors.ts";
import type { JsonValue } from "../../../src/domain/json.ts";
import type { ListedRecord } from "../../../src/domain/ports.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { createPressLine } from "../../../src/jobs/press-line.ts";
import { createPress } from "../../../src/jobs/press-records.ts";
import type { Press, PressTools } from "../../../src/jobs/press-records.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { sources } from "../../../src/kinds/sources.ts";

const listed = (number: number, more: object = {}): ListedRecord => {
  const id = String(number);
  const value = { id, name: `n ${id}`, tiles: [], ...more } as JsonValue;
  return { value, json: Buffer.from(JSON.stringify(value)) };
};

function pressed(records: readonly ListedRecord[], tools: Partial<PressTools> = {}, kind = dashboards) {
  const filter = { include: [], exclude: [] };
  const encode = createRecordEncoder({ format: "zip", level: 0 });
  return createPress({ redact: createRedactor(), encode, filter, credentials: [], ...tools })(kind, records);
}

describe("pressing records", () => {
  it("redacts them, and takes the name from the redacted body", async () => {
    const [record] = await pressed([listed(1, { name: "see https://u:p4ss@example.com", password: "x-1" })]);
    if (record?.status !== "ready") throw new Error("not ready");
    const { entry, packed, redactions } = record.record;
    expect(entry.name).toBe("see https://«redacted:url-user-info»@example.com");
    expect(Buffer.from(packed.data).toString()).not.toMatch(/p4ss|x-1/);
    expect(redactions.map(({ pointer }) => pointer).toSorted()).toEqual(["/name", "/password"]);
  });

  it("says of each what became of it, in their order", async () => {
    const records = [listed(1), { value: { name: 7 } }, listed(2), { value: null }];
    const filter = { include: ["n 2"], exclude: [] };
    const states = (await pressed(records, { filter })).map(({ status }) => status);
    expect(states).toEqual(["left-out", "unreadable", "ready", "unreadable"]);
  });

  it("leaves out none of a kind that is only there to be matched", async () => {
    const source = { value: { id: "s", name: "Logs", kind: "log" } };
    const [record] = await pressed([source], { filter: { include: ["other"], exclude: [] } }, sources);
    expect(record?.status).toBe("ready");
  });

  it("refuses what holds a credential of the run", async () => {
    const secret = { credentials: ["key-of-this-run-1234"] };
    await expect(pressed([listed(1, { note: "key-of-this-run-1234" })], secret)).rejects.toMatchObject({
      code: "secret-in-output",
    });
  });
});

describe("a press line", () => {
  const many = Array.from({ length: 120 }, (_, index) => listed(index));

  /** Puts records on a line whose press is slow, and tells what it was given. */
  async function run(records: readonly ListedRecord[]) {
    const batches: number[] = [];
    let [underWay, most] = [0, 0];
    const press: Press<JsonValue> = async (_, batch) => {
      batches.push(batch.length);
      most = Math.max(most, (underWay += 1));
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      underWay -= 1;
      return batch.map(({ value }) => ({ status: "ready", record: value }));
    };
    const line = createPressLine(dashboards, press);
    for (const record of records) await line.add(record);
    const ready = (await line.end()).flatMap((each) => (each.status === "ready" ? [each.record] : []));
    return { batches, most, ready };
  }

  it("keeps the order, in batches of so many records or bytes", async () => {
    const { batches, ready } = await run(many);
    expect(batches).toEqual([50, 50, 20]);
    expect(ready).toEqual(many.map(({ value }) => value));
    const large = many.map((_, index) => listed(index, { text: "x".repeat(50_000) })).slice(0, 7);
    expect((await run(large)).batches).toEqual([3, 3, 1]);
    expect((await run(large.map(({ value }) => ({ value })))).batches).toEqual([3, 3, 1]);
    expect((await run([])).batches).toEqual([]);
  });

  it("waits for room: however long the list, few batches are under way", async () => {
    const { most, batches } = await run(Array.from({ length: 2000 }, (_, index) => listed(index)));
    expect(batches).toHaveLength(40);
    expect(most).toBe(6);
  });

  it("goes on after a failure, and ends with it", async () => {
    let calls = 0;
    const press: Press<never> = async () => {
      calls += 1;
      throw new StackferryError("protocol", `batch ${calls}`);
    };
    const line = createPressLine(dashboards, press);
    for (const record of many) await line.add(record);
    await expect(line.end()).rejects.toThrow("batch 1");
    expect(calls).toBe(3);
  });
});
