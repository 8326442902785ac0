import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordBounds } from "../../src/core/text/json-scan.ts";
import { PROGRAM } from "../chaos/run-program.ts";
import { sampleRecord, writeArchive } from "../support/archive-samples.ts";
import { forgedManifest, one } from "../support/hostile-archives.ts";
import { changedAtEnd, changedThroughout, hostileShapes, largestWithin } from "../support/hostile-shapes.ts";
import { startFakeServer, type FakeServer } from "../support/fake-server.ts";
import { rawZip } from "../support/raw-zip.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// The program reads records that are built to take memory or time, in a process of its own.
const REPORT_PEAK = resolve(import.meta.dirname, "../support/report-peak-memory.js");
/**
 * Newer engines collect young objects later, so they need more memory. On a busy machine a late collection costs up to 40 MB.
 */
const MAX_MEGABYTES = Number(process.versions.node.split(".")[0]) >= 22 ? 390 : 300;
/** Limit on the processor time, which other work on the machine does not change. */
const MAX_MS = 10_000;
/** Limit for ten million values, the largest number that the program keeps in memory. */
const MAX_HELD_MEGABYTES = 1024;
const MIB = 1024 * 1024;

let cwd: string;
let plain: FakeServer;
beforeAll(async () => {
  cwd = temporaryFolder();
  plain = await stackWith('{"id":"two","name":"name of one","tiles":[]}');
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
});

function stackWith(dashboard: string): Promise<FakeServer> {
  return startFakeServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(request.url?.includes("dashboards") === true ? `{"data":[${dashboard}]}` : '{"data":[]}');
  });
}

const recordWith = (value: string): string => `{"id":"${one.id}","name":"${one.name}","tiles":[],"x":${value}}`;

/**
 * Writes the record as a zip archive, as a folder and as a backup. The zip is not compressed, because a high ratio would be
 * refused.
 */
function writeArchives(record: string): void {
  const content = Buffer.from(record);
  const manifest = forgedManifest(content);
  const zip = rawZip([{ name: "dashboards/one.json", content, method: 0 }, manifest]);
  mkdirSync(join(cwd, "folder", "dashboards"), { recursive: true });
  mkdirSync(join(cwd, "repository", "s"), { recursive: true });
  writeFileSync(join(cwd, "a.zip"), zip);
  writeFileSync(join(cwd, "repository", "s", "20260102T030405Z.zip"), zip);
  writeFileSync(join(cwd, "folder", "dashboards", "one.json"), content);
  writeFileSync(join(cwd, "folder", "manifest.json"), manifest.content);
}

interface Measured {
  readonly line: string;
  readonly code: number | null;
  readonly megabytes: number;
  readonly ms: number;
}

async function measure(line: string): Promise<Measured> {
  for (const left of ["report.html", "export.zip"]) rmSync(join(cwd, left), { force: true, recursive: true });
  const child = spawn(process.execPath, ["--import", REPORT_PEAK, PROGRAM, ...line.split(" ")], {
    cwd,
    env: { ...process.env, STACKFERRY_API_KEY: "key-of-this-very-run" },
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  let told = "";
  child.stdio[3]?.on("data", (text) => (told += String(text)));
  const [code] = await once(child, "close");
  const [peak, ms] = told.split(" ");
  return { line, code, megabytes: Math.round(Number(peak) / 1024), ms: Number(ms) };
}

/**
 * Runs the command lines one after another. Expects that each exits by itself with one of these codes, within the limits of
 * memory and time.
 */
async function expectWithinLimits(lines: readonly string[], codes: readonly number[]): Promise<void> {
  const measured: Measured[] = [];
  for (const line of lines) measured.push(await measure(line));
  const wrong = measured.filter(
    ({ code, megabytes, ms }) =>
      code === null || !codes.includes(code) || !(megabytes > 0 && megabytes <= MAX_MEGABYTES) || !(ms <= MAX_MS),
  );
  expect(wrong).toEqual([]);
}

/** Commands that read the same hostile record from both sides. */
const BOTH = ["diff HOSTILE HOSTILE", "diff a.zip HOSTILE", "import a.zip --to HOSTILE --dry-run"];
const COMMON = ["verify a.zip", "import a.zip --to PLAIN --dry-run", "export --from HOSTILE --out export.zip"];
const ALL = [
  ...COMMON,
  "report a.zip",
  "inspect folder --json",
  "verify folder",
  "import folder --to PLAIN --dry-run",
  "diff a.zip PLAIN",
  "diff PLAIN folder",
  "diff PLAIN HOSTILE",
  "report a.zip --out report.html",
  "export --from HOSTILE --out export.zip --format folder",
  "restore repository/s --to PLAIN --dry-run",
  "list repository",
  "check repository",
  "doctor HOSTILE",
];
/**
 * One shape for each cause of cost: many values, many names, one long text, a text that grows when it is written, a deep
 * record.
 */
const SHAPES_FOR_ALL = new Set([
  "objects",
  "keys",
  "one long text of wide characters",
  "escapes of controls",
  "nesting",
  "certificates",
]);
/** The shapes that cost the most in a comparison. */
const SHAPES_FOR_BOTH = new Set([
  "escapes of controls",
  "halves of characters",
  "backslashes",
  "certificates",
  "tables",
  "placeholders",
  "different ids",
]);

/** Commands that read hostile records from both sides, which differ. */
const DIFFERING = [
  "diff HOSTILE OTHER",
  "diff HOSTILE OTHER --json",
  "diff a.zip OTHER --markdown",
  "import a.zip --to OTHER --on-conflict overwrite --dry-run",
];
/** The shapes that cost the most if the records differ: many values, long paths to them, and long texts. */
const DIFFERING_SHAPES = ["objects", "keys", "deep digits", "one long text", "escapes of controls"];

describe.each(DIFFERING_SHAPES)("two records of %s", (name) => {
  it.each([
    ["one value", changedAtEnd],
    ["every value", changedThroughout],
  ])("that differ in %s are compared", async (_, changed) => {
    const value = largestWithin(hostileShapes[name] ?? (() => "0"), 15.5 * MIB, recordBounds.maxValues);
    const record = recordWith(value);
    writeArchives(record);
    await using hostile = await stackWith(record);
    await using other = await stackWith(recordWith(changed(value)));
    const lines = DIFFERING.map((line) => line.replace("HOSTILE", hostile.url).replace("OTHER", other.url));
    await expectWithinLimits(lines, [0]);
  });
});

describe.each(Object.entries(hostileShapes))("a record of %s", (name, shape) => {
  const addressed = (lines: readonly string[], hostile: FakeServer): string[] =>
    lines.map((line) => line.replaceAll("PLAIN", plain.url).replaceAll("HOSTILE", hostile.url));
  const lines = SHAPES_FOR_ALL.has(name) ? ALL : COMMON;

  it("of the largest allowed size takes little time and memory", async () => {
    const record = recordWith(largestWithin(shape, 15.5 * MIB, recordBounds.maxValues));
    writeArchives(record);
    await using hostile = await stackWith(record);
    await expectWithinLimits(addressed(lines, hostile), [0, 1, 3, 4, 6]);
    if (SHAPES_FOR_BOTH.has(name)) await expectWithinLimits(addressed(BOTH, hostile), [0, 3]);
  });

  it("is refused at 60 MiB", async () => {
    const record = recordWith(shape(60 * MIB));
    writeArchives(record);
    await using hostile = await stackWith(record);
    const refusing = lines.filter((line) => !line.startsWith("list"));
    await expectWithinLimits(
      addressed(
        refusing.filter((line) => !line.includes("HOSTILE")),
        hostile,
      ),
      [3, 4],
    );
    await expectWithinLimits(
      addressed(
        refusing.filter((line) => line.includes("HOSTILE")),
        hostile,
      ),
      [3, 6],
    );
  });
});

it("many large records within the limits are not held in memory together", async () => {
  const values = Array.from({ length: recordBounds.maxValues - 2000 }, () => ({}));
  const records = Array.from({ length: 150 }, (_, index) => {
    const record = sampleRecord(`record-${index}`);
    return { ...record, body: { ...record.body, values } };
  });
  await writeArchive({ path: join(cwd, "many.zip"), format: "zip" }, records);
  const refusing = ["import many.zip --to PLAIN --dry-run", "diff many.zip PLAIN", "report many.zip"];
  for (const line of refusing) {
    const { code, megabytes } = await measure(line.replace("PLAIN", plain.url));
    expect({ line, code }).toEqual({ line, code: 4 });
    expect(megabytes).toBeLessThan(MAX_HELD_MEGABYTES);
  }
  expect(await measure("verify many.zip")).toMatchObject({ code: 0 });
});
