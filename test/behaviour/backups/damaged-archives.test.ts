import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileOf, sampleRecord, storedArchive } from "../../support/archive-samples.ts";
import {
  forgedEntries,
  manifestEntry,
  readingEnd,
  readingEndOfBytes,
  recordEntry,
} from "../../support/hostile-archives.ts";
import { recordsOn } from "../../support/on-stack.ts";
import {
  outcomesOf,
  programWithArchive,
  warningCodes,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { rawZip, type RawEntry } from "../../support/raw-zip.ts";
import { documentOf } from "../../support/run-cli.ts";
import { hexId } from "../../support/stack-records.ts";

const two = sampleRecord("two");
const whole = [recordEntry(), manifestEntry()];

describe("a manifest and what is in the archive", () => {
  const forged = (...given: Parameters<typeof forgedEntries>): RawEntry[] => [
    recordEntry(),
    { name: "manifest.json", content: forgedEntries(...given) },
  ];
  const same = (entry: object): object[] => [entry];
  const source = { variant: "self-hosted", baseUrl: "https://u:secret@stack.test" } as const;
  const redactions = [{ path: "dashboards/two.json", pointer: "", rule: "x" }];

  it.each<[string, RegExp, readonly RawEntry[]]>([
    ["a record that is missing", /is in the manifest but not in the archive/, [manifestEntry()]],
    ["a record too many", /is in the archive but not in the manifest/, [...whole, recordEntry(two)]],
    [
      "a file beside the records",
      /is in the archive but not in the manifest/,
      [...whole, { name: "notes.txt", content: "{}" }],
    ],
    ["an entry that is listed twice", /listed twice/, forged((entry) => [entry, entry])],
    [
      "a path that is not its record's",
      /has another path than its kind and id require/,
      forged((entry) => [{ ...entry, id: "other" }]),
    ],
    ["another size", /size that the manifest states/, forged((entry) => [{ ...entry, bytes: entry.bytes + 1 }])],
    ["another content digest", /contentDigest does not match/, forged(same, { contentDigest: "0".repeat(64) })],
    ["a stack's address with a password, which a log would print", /contains a credential/, forged(same, { source })],
    [
      "a kind with another count",
      /count does not match/,
      forged(same, { kinds: { dashboards: { status: "complete", count: 2 } } }),
    ],
    ["a redaction of no entry", /names no entry/, forged(same, { redactions })],
  ])("agree, or the archive is damaged: %s", async (_, message, entries) => {
    const found = await readingEndOfBytes(rawZip(entries));
    expect(found).toMatchObject({ step: "open", code: "archive-damaged", message: expect.stringMatching(message) });
  });

  it("agree on each checksum, which is looked at when the record is read", async () => {
    const zip = rawZip(forged((entry) => [{ ...entry, sha256: "0".repeat(64) }]));
    const message = expect.stringMatching(/does not match its checksum/);
    expect(await readingEndOfBytes(zip)).toMatchObject({ step: "record", code: "archive-damaged", message });
  });

  it("go by the digest over path and checksum of each entry: two records cannot change places", async () => {
    const a = sampleRecord("one", "dashboards", { x: 1 });
    const b = sampleRecord("two", "dashboards", { x: 2 });
    const sizes = [fileOf(a).entry.bytes, fileOf(b).entry.bytes];
    expect(sizes[0]).toBe(sizes[1]);
    const swapped = [recordEntry(a, { name: fileOf(b).entry.path }), recordEntry(b, { name: fileOf(a).entry.path })];
    expect(await readingEndOfBytes(rawZip([...swapped, manifestEntry([a, b])]))).toMatchObject({
      step: "record",
      code: "archive-damaged",
    });
    const [first] = swapped;
    if (first === undefined) throw new Error("no entry");
    expect(await readingEndOfBytes(rawZip([recordEntry(a), first, manifestEntry([a, b])]))).toMatchObject({
      step: "record",
      code: "archive-damaged",
    });
  });
});

describe("an archive in folder form", () => {
  const RECORD = "dashboards/6b00e154e5757e17d9e50001.json";
  const otherDigit = (_: string, digit: string): string => `"sha256": "${digit === "0" ? "1" : "0"}`;

  it.each<[string, RegExp, string, (text: string) => string, string]>([
    ["a record of another text", /checksum/, RECORD, (text) => text.replace("name of", "name 0f"), "record"],
    ["a longer record", /is over \d+ bytes|size that the manifest states/, RECORD, (text) => `${text} `, "record"],
    ["a shorter record", /size that the manifest states/, RECORD, (text) => text.slice(0, -1), "record"],
    [
      "another checksum",
      /contentDigest/,
      "manifest.json",
      (text) => text.replace(/"sha256": "(.)/, otherDigit),
      "open",
    ],
  ])("with %s is damaged", async (_, message, file, change, step) => {
    const path = await storedArchive({ format: "folder" });
    await writeFile(join(path, file), change(await readFile(join(path, file), "utf8")));
    const damaged = { step, code: "archive-damaged", message: expect.stringMatching(message) };
    expect(await readingEnd(path)).toMatchObject(damaged);
  });
});

it("a device is refused as a device, and never read", async () => {
  const found = await readingEnd("/dev/zero");
  expect([found.step, found.code]).toEqual(["open", "archive-unknown"]);
  expect(found.message).toMatch(/neither a file nor a folder/);
});

const DAMAGED = [`dashboards/${hexId("a", 16)}.json`, `alerts/${hexId("a", 33)}.json`];

/** Creates a program with an archive in the folder `f`, in which the dashboard "One" and the alert "Quiet" are damaged. */
async function programWithDamagedArchive(): Promise<ProgramWithArchive> {
  const program = await programWithArchive();
  const exported = await program.run(["export", "--from", program.from.stack, "--format", "folder", "--out", "f"]);
  expect(exported.exitCode).toBe(0);
  for (const path of DAMAGED) {
    const text = await readFile(join(program.cwd, "f", path), "utf8");
    await writeFile(join(program.cwd, "f", path), text.replace("name", "nane"));
  }
  return program;
}

it.each(["verify f", "report f", "import f --to TARGET --yes"])(
  "`%s` names every damaged record of an archive",
  async (line) => {
    await using program = await programWithDamagedArchive();
    const run = documentOf(await program.run(line.replace("TARGET", program.to.stack).split(" ")));
    const error = { code: "archive-damaged", hint: expect.stringContaining("--exclude ID") as string, faults: DAMAGED };
    expect(run).toMatchObject({ exitCode: 4, error });
  },
);

it("an import without the damaged records creates all that do not need them, and a whole copy adds the rest", async () => {
  await using program = await programWithDamagedArchive();
  const others = ["import", "f", "--to", program.to.stack, "--exclude", "One", "--exclude", "Quiet", "--yes"];
  const rescue = await program.run(others);
  const written = outcomesOf(rescue).filter(({ action }) => action !== "skip");
  expect(written.map(({ name, action, code }) => [name, action, code])).toEqual([
    ["Two", "blocked", "missing-reference"],
    ["Three", "create", undefined],
    ["Busy", "blocked", "missing-reference"],
  ]);
  expect(warningCodes(rescue)).toEqual(["unreadable-record", "unreadable-record"]);

  const whole = await program.import("--yes");
  expect(whole.exitCode).toBe(0);
  const names = async (kind: string) => (await recordsOn(program.to, kind)).map(({ name }) => name).toSorted();
  expect([await names("dashboards"), await names("alerts")]).toEqual([
    ["One", "Three", "Two"],
    ["Busy", "Quiet"],
  ]);
});
