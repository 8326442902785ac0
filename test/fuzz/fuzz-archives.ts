import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { contentDigest } from "../../src/archive/entry.ts";
import { openArchive, type ArchiveReadOptions } from "../../src/archive/reader.ts";
import { StackferryError } from "../../src/core/errors.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { findJsonFlaw, recordBounds } from "../../src/core/text/json-scan.ts";
import { fileOf, manifestOf, sampleRecords, writeArchive, recordsIn } from "../support/archive-samples.ts";
import { forgedManifest } from "../support/hostile-archives.ts";
import { rawZip, type RawEntry } from "../support/raw-zip.ts";
import { seededRandom, type SeededRandom } from "../support/seeded-random.ts";
import { attempt, type FuzzRun, type Tally } from "./fuzz-run.ts";
import { hostileRecord } from "./hostile-record.ts";
import { mutateBytes, mutateJson, mutateText } from "./mutate.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Fixture {
  readonly zip: Buffer;
  readonly encrypted: Buffer;
  readonly signature: Buffer;
  readonly identity: string;
  readonly signer: KeyObject;
}

/** One attempt. If `authentic` is set, an archive that opens must hold the original records. */
interface Attempt {
  readonly bytes: Buffer;
  readonly signature?: Buffer;
  readonly authentic: boolean;
  readonly options?: ArchiveReadOptions;
}

/** Reads archives that were changed at random. Throws if one is read wrongly, or fails in an undocumented way. */
export async function fuzzArchives({ runs, seed }: FuzzRun): Promise<Tally> {
  const folder = temporaryFolder();
  const fixture = await prepare(folder);
  const path = join(folder, "fuzzed.zip");
  const tally: Tally = new Map();
  for (let run = seed; run < seed + runs; run += 1) {
    const { bytes, signature, ...how } = attemptOf(fixture, seededRandom(run));
    await writeFile(path, bytes);
    if (signature !== undefined) await writeFile(`${path}.sig`, signature);
    await attempt(run, tally, () => outcomeOf(path, how));
  }
  return tally;
}

async function outcomeOf(
  path: string,
  { options, authentic }: Pick<Attempt, "options" | "authentic">,
): Promise<string> {
  const records: StackRecord[] = [];
  try {
    await using reader = await openArchive(path, options);
    for (const record of await recordsIn(reader)) {
      if (findJsonFlaw(JSON.stringify(record.body), recordBounds) !== undefined) throw new Error("it is out of bounds");
      records.push(record);
    }
  } catch (error) {
    if (error instanceof StackferryError && /^(?:archive-(?:damaged|unknown)|wrong-key)$/.test(error.code))
      return error.code;
    throw error;
  }
  if (authentic && !isDeepStrictEqual(records, sampleRecords)) throw new Error("it was read as something else");
  return "opened";
}

function attemptOf(fixture: Fixture, random: SeededRandom): Attempt {
  const kind = random.below(100);
  if (kind < 45) return { bytes: mutateBytes(fixture.zip, random), authentic: false };
  if (kind < 60) return { bytes: rawZip(lyingEntries(random), lyingEnd(random)), authentic: false };
  if (kind < 80) return { bytes: rawZip(withManifest(random)), authentic: false };
  if (kind < 88) return { bytes: rawZip(withForgedRecord(random)), authentic: false };
  if (kind < 95) return { bytes: withHostileShape(random), authentic: false };
  const { identity, signer, encrypted, signature, zip } = fixture;
  const keys: ArchiveReadOptions["keys"] = () => Promise.resolve({ identities: [identity], passphrases: [] });
  if (kind < 98) return { bytes: mutateBytes(encrypted, random), authentic: true, options: { keys } };
  const bytes = random.chance(1 / 2) ? mutateBytes(zip, random) : zip;
  const changed = bytes === zip ? mutateBytes(signature, random) : signature;
  return { bytes, signature: changed, authentic: true, options: { signer } };
}

const entriesOf = (records: readonly StackRecord[]): RawEntry[] =>
  records.map((record) => ({ name: fileOf(record).entry.path, content: fileOf(record).content }));

function lyingEntries(random: SeededRandom): RawEntry[] {
  const entries = [
    ...entriesOf(sampleRecords),
    { name: "manifest.json", content: JSON.stringify(manifestOf(sampleRecords)) },
  ];
  const at = random.below(entries.length);
  const number = (): number => random.pick([0, 1, 40, 0xffff, 0x7fffffff, 0xffffffff]);
  const lies: readonly (() => Partial<RawEntry>)[] = [
    () => ({ name: random.pick(["", "..", "/a", "a\\b", "a/", "manifest.json", "\ud800", "x".repeat(400)]) }),
    () => ({ method: random.pick([0, 1, 8, 9, 14, 99]) }),
    () => ({ flags: random.below(0x10000) }),
    () => ({ crc: number() }),
    () => ({ size: number() }),
    () => ({ compressedSize: number() }),
    () => ({ externalAttributes: number() }),
    () => ({ extra: Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256))) }),
    () => ({ localName: "elsewhere" }),
    () => ({ localMethod: random.below(10) }),
    () => ({ offset: number() }),
    () => ({ trailing: Buffer.alloc(random.below(100)) }),
  ];
  return entries.map((entry, index) => (index === at ? { ...entry, ...random.pick(lies)() } : entry));
}

function lyingEnd(random: SeededRandom): Parameters<typeof rawZip>[1] {
  if (random.chance(1 / 2)) return {};
  const number = (): number => random.pick([0, 1, 3, 5, 0xffff]);
  return random.pick([
    { count: number() },
    { directorySize: number() },
    { directoryStart: number() },
    { disk: number() },
    { comment: "PK\u0005\u0006".repeat(random.below(20)) },
    { prefix: Buffer.alloc(random.below(50)) },
  ]);
}

function withManifest(random: SeededRandom): RawEntry[] {
  const manifest = JSON.stringify(manifestOf(sampleRecords));
  const content = random.chance(1 / 3)
    ? mutateText(manifest, random)
    : JSON.stringify(mutateJson(JSON.parse(manifest), random));
  return [...entriesOf(sampleRecords), { name: "manifest.json", content }];
}

/** Returns an archive whose record costs more than its size suggests, stored or compressed. */
function withHostileShape(random: SeededRandom): Buffer {
  const content = Buffer.from(hostileRecord(random));
  const method = random.pick([0, 8]);
  return rawZip([{ name: "dashboards/one.json", content, method }, forgedManifest(content)]);
}

/** Returns an archive in which a record was changed, with all checksums adjusted. */
function withForgedRecord(random: SeededRandom): RawEntry[] {
  const at = random.below(sampleRecords.length);
  const files = sampleRecords.map((record, index) => {
    const { entry, content } = fileOf(record);
    if (index !== at) return { entry, content: Buffer.from(content) };
    const text = random.chance(1 / 2)
      ? mutateText(content, random)
      : JSON.stringify(mutateJson(JSON.parse(content), random));
    const bytes = random.chance(1 / 4) ? mutateBytes(Buffer.from(text), random) : Buffer.from(text);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { entry: { ...entry, bytes: bytes.length, sha256 }, content: bytes };
  });
  const entries = files.map(({ entry }) => entry);
  const manifest = { ...manifestOf(sampleRecords), entries, contentDigest: contentDigest(entries) };
  return [
    ...files.map(({ entry, content }) => ({ name: entry.path, content })),
    { name: "manifest.json", content: JSON.stringify(manifest) },
  ];
}

async function prepare(folder: string): Promise<Fixture> {
  const identity = await generateX25519Identity();
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const zip = join(folder, "good.zip");
  await writeArchive({ path: zip, format: "zip", signer: privateKey });
  const recipients = [await identityToRecipient(identity)];
  await writeArchive({ path: join(folder, "good.zip.age"), format: "zip", encryption: { recipients } });
  return {
    zip: await readFile(zip),
    signature: await readFile(`${zip}.sig`),
    encrypted: await readFile(join(folder, "good.zip.age")),
    identity,
    signer: publicKey,
  };
}
