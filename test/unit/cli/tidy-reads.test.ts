import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { getHeapSpaceStatistics } from "node:v8";
import { describe, expect, it } from "vitest";
import type { ArchiveReader } from "../../../src/domain/ports.ts";
import { tidyReads, youngCollector } from "../../../src/cli/tidy-reads.ts";
import { largeArchive } from "../../support/large-archive.ts";

const run = promisify(execFile);
const { manifest, records } = largeArchive(7);
const [record] = records;

describe("reads that are tidied up after", () => {
  it("give what the reader gives, and collect once for every 1.2 megabytes", async () => {
    const entries = manifest.entries.slice(0, 7).map((entry) => ({ ...entry, bytes: 600_000 }));
    const asked: string[] = [];
    let collections = 0;
    const reader = {
      manifest: { ...manifest, entries },
      prepare: (entry: { readonly id: string }) => Promise.resolve(() => (asked.push(entry.id), record)),
    } as unknown as ArchiveReader;
    const reads = tidyReads(reader, () => (collections += 1));
    for (const entry of reads.manifest.entries) expect((await reads.prepare(entry))()).toBe(record);
    expect(asked).toEqual(entries.map(({ id }) => id));
    expect(collections).toBe(3);
  });

  it("collect the young, and leave no function behind for others", () => {
    const collect = youngCollector();
    const pile = Array.from({ length: 10_000 }, (_, number) => ({ number, text: `no ${number}` })).length;
    const before = youngBytes();
    collect();
    expect(pile).toBe(10_000);
    expect(youngBytes()).toBeLessThan(before);
    expect("gc" in globalThis).toBe(false);
  });

  it("use no flag that this Node does not know: it would say so on stderr", async () => {
    const program = 'import { youngCollector } from "./dist/cli/tidy-reads.js"; youngCollector()();';
    const { stderr } = await run(process.execPath, ["--input-type=module", "-e", program]);
    expect(stderr).toBe("");
  });
});

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_used_size ?? 0;
}
