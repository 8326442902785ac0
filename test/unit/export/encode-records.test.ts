import { describe, expect, it } from "vitest";
import { createRecordEncoder } from "../../../src/archive/record.ts";
import type { JsonValue } from "../../../src/core/json.ts";
import type { ListedRecord } from "../../../src/core/ports.ts";
import { createEncoder, type EncodingResult, type EncoderDependencies } from "../../../src/export/encode-records.ts";
import { createSelection } from "../../../src/export/selection.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { sources } from "../../../src/kinds/sources.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { DeadReferenceFinder } from "../../../src/references/dead-references.ts";

const listed = (number: number, more: object = {}): ListedRecord => {
  const id = String(number);
  const value = { id, name: `n ${id}`, tiles: [], ...more } as JsonValue;
  return { value };
};

async function encoded(
  records: readonly ListedRecord[],
  tools: Partial<EncoderDependencies> = {},
  kind = dashboards,
): Promise<EncodingResult[]> {
  const selection = createSelection({ include: [], exclude: [] });
  const encode = createRecordEncoder();
  const encoder = createEncoder({
    variant: "self-hosted",
    redact: createRedactor(),
    encode,
    selection,
    makesDigests: false,
    survey: new DeadReferenceFinder(),
    ...tools,
  });
  return Promise.all(records.map(({ value }) => encoder(kind, value)));
}

describe("encoding the records of an export", () => {
  it("redacts each record, and takes its name from the redacted body", async () => {
    const [record] = await encoded([listed(1, { name: "see https://u:p4ss@example.com", password: "x-1" })]);
    if (record?.status !== "ready") throw new Error("not ready");
    const { entry, bytes, redactions } = record.record;
    expect(entry.name).toBe("see https://«redacted:url-user-info»@example.com");
    expect(Buffer.from(bytes).toString()).not.toMatch(/p4ss|x-1/);
    expect(redactions.map(({ pointer }) => pointer).toSorted()).toEqual(["/name", "/password"]);
  });

  it("returns the status of each record in order: left out, unreadable or ready", async () => {
    const records = [listed(1), { value: { name: 7 } }, listed(2), { value: null }];
    const selection = createSelection({ include: ["n 2"], exclude: [] });
    const states = (await encoded(records, { selection })).map(({ status }) => status);
    expect(states).toEqual(["left-out", "unreadable", "ready", "unreadable"]);
  });

  it("applies no filter to a kind that is exported only for matching", async () => {
    const source = { value: { id: "s", name: "Logs", kind: "log" } };
    const selection = createSelection({ include: ["other"], exclude: [] });
    const [record] = await encoded([source], { selection }, sources);
    expect(record?.status).toBe("ready");
  });
});
