import { expect, it } from "vitest";
import { openArchive } from "../../../src/archive/reader.ts";
import { storedArchive, sampleRecord } from "../../support/archive-samples.ts";

it.each([
  ["small", 150, 10_000],
  ["large", 20, 200_000],
])("the reader lets other work of the event loop run while many %s records are read", async (_, count, bytes) => {
  const note = "What to do when it rings. ".repeat(bytes / 26);
  const records = Array.from({ length: count }, (__, number) => sampleRecord(`d${number}`, "dashboards", { note }));
  const path = await storedArchive({ format: "zip" }, records);
  await using reader = await openArchive(path);
  let turns = 0;
  const turn = (): NodeJS.Immediate => setImmediate(() => (turns += 1));
  let read = 0;
  for (const entry of reader.manifest.entries) {
    const record = await reader.read(entry);
    turn();
    expect(record.id).toBe(`d${read}`);
    read += 1;
  }
  expect(read).toBe(count);
  expect(turns).toBeGreaterThan(read / 2);
});
