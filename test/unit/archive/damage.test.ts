import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { outcomeOfReading, readArchive, sampleRecords, writeArchive } from "../../support/archive-samples.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

let folder = "";
let whole: Buffer = Buffer.alloc(0);
beforeAll(async () => {
  folder = temporaryFolder();
  await writeArchive({ path: join(folder, "whole.zip"), format: "zip" });
  whole = await readFile(join(folder, "whole.zip"));
});

async function outcomeOf(bytes: Buffer): Promise<string> {
  const path = join(folder, "damaged.zip");
  await writeFile(path, bytes);
  const outcome = await outcomeOfReading(path);
  if (outcome === "opened") expect(await readArchive(path)).toEqual(sampleRecords);
  return outcome;
}

/** Yields the same positions in every run, from a linear congruential generator with a fixed seed. */
function* numbers(below: number): Generator<number> {
  for (let state = 20_260_101; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state % below;
  }
}

it("the reader notices a truncated archive, at each length near its end and at every seventh before", async () => {
  const end = whole.length - 100;
  for (let length = 0; length < whole.length; length += length < end ? 7 : 1) {
    expect(["archive-damaged", "archive-unknown"]).toContain(await outcomeOf(whole.subarray(0, length)));
  }
});

it("the reader notices a flipped byte, or reads the same content where the byte carries no meaning", async () => {
  const random = numbers(whole.length);
  const seen = new Set<string>();
  for (let round = 0; round < 100; round += 1) {
    const bytes = Buffer.from(whole);
    const at = Number(random.next().value);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    seen.add(await outcomeOf(bytes));
  }
  expect([...seen].toSorted()).toEqual(["archive-damaged", "opened"]);
});

it("the reader notices bytes that were appended or inserted", async () => {
  expect(await outcomeOf(Buffer.concat([whole, Buffer.from("x")]))).toBe("archive-damaged");
  expect(await outcomeOf(Buffer.concat([whole, whole]))).toBe("archive-damaged");
  const middle = Math.floor(whole.length / 2);
  expect(await outcomeOf(Buffer.concat([whole.subarray(0, middle), Buffer.alloc(7), whole.subarray(middle)]))).toBe(
    "archive-damaged",
  );
});
