import { expect, it } from "vitest";
import { verifyRecords } from "../../../src/backup/open-stored-archive.ts";
import { ignoreEvents } from "../../../src/core/events.ts";
import type { ArchiveReader } from "../../../src/core/ports.ts";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { manifestOf } from "../../support/archive-samples.ts";

const id = (digit: string): string => digit.repeat(24);

function record(kind: string, digit: string, body: object): StackRecord {
  return { kind, id: id(digit), name: digit, body: { ...body, id: id(digit), name: digit } };
}

it("verifying an archive reports a record that does not fit its kind, and an unknown kind", async () => {
  const records = [record("dashboards", "a", { tiles: "none" }), record("gadgets", "b", {})];
  const read = async ({ kind }: { readonly kind: string }) => records.find((each) => each.kind === kind);
  const reader = { manifest: manifestOf(records), read } as unknown as ArchiveReader;
  const problems = await verifyRecords(reader, { events: ignoreEvents });
  expect(problems.map(({ code }) => code)).toEqual(["unreadable-record", "unknown-form"]);
});
