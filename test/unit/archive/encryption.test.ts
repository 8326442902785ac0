import { readFile, readdir, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { beforeAll, describe, expect, it } from "vitest";
import type { ArchiveKeys } from "../../../src/archive/age.ts";
import { openArchive } from "../../../src/archive/reader.ts";
import { createArchiveWriter } from "../../../src/archive/writer.ts";
import { StackferryError } from "../../../src/core/errors.ts";
import type { StackRecord } from "../../../src/core/records/record.ts";
import {
  storedArchive,
  errorCodeOf,
  sampleRecord,
  sampleRecords,
  writeArchive,
  refusal,
  readArchive,
} from "../../support/archive-samples.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

interface Pair {
  readonly identity: string;
  readonly recipient: string;
}

let [mine, theirs]: Pair[] = [];

async function pair(): Promise<Pair> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

beforeAll(async () => {
  [mine, theirs] = [await pair(), await pair()];
});

const recipientsOf = (...pairs: (Pair | undefined)[]): string[] => pairs.map((each) => each?.recipient ?? "");
const keysOf =
  (...pairs: (Pair | undefined)[]) =>
  (): Promise<ArchiveKeys> =>
    Promise.resolve({ identities: pairs.map((each) => each?.identity ?? ""), passphrases: [] });
const passphrase =
  (...passphrases: string[]) =>
  (): Promise<ArchiveKeys> =>
    Promise.resolve({ identities: [], passphrases });

const readWith = (path: string, keys: () => Promise<ArchiveKeys>): Promise<StackRecord[]> =>
  readArchive(path, { keys });
const outcomeWith = (path: string, keys: () => Promise<ArchiveKeys>): Promise<string> =>
  readWith(path, keys).then(() => "opened", errorCodeOf);

const encryptedArchive = (records = sampleRecords): Promise<string> =>
  storedArchive({ format: "zip", encryption: { recipients: recipientsOf(mine, theirs) } }, records);

describe("an encrypted archive", () => {
  it("opens with the key of any recipient, and with one right key among wrong ones", async () => {
    const path = await encryptedArchive();
    expect(await readWith(path, keysOf(mine))).toEqual(sampleRecords);
    expect(await readWith(path, keysOf(await pair(), theirs))).toEqual(sampleRecords);
  });

  it("opens with its passphrase", async () => {
    const path = await storedArchive({ format: "zip", encryption: { passphrase: "correct horse", workFactor: 10 } });
    expect(await readWith(path, passphrase("correct horse"))).toEqual(sampleRecords);
    expect(await outcomeWith(path, passphrase("wrong horse"))).toBe("wrong-key");
    expect(await outcomeWith(path, keysOf(mine))).toBe("wrong-key");
  });

  it("distinguishes a missing key (config) from a wrong key", async () => {
    const path = await encryptedArchive();
    expect(await outcomeWith(path, keysOf())).toBe("config");
    expect(await openArchive(path).then(() => "opened", errorCodeOf)).toBe("config");
    expect(await outcomeWith(path, keysOf(await pair()))).toBe("wrong-key");
  });

  it("holds no plain text and can be read by its owner only", async () => {
    const path = await encryptedArchive();
    const bytes = (await readFile(path)).toString("latin1");
    for (const clear of ["PK\u0003\u0004", "manifest.json", "dashboards", "stackferry"])
      expect(bytes).not.toContain(clear);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("is never in clear on disk while it is written, and leaves nothing when it is given up", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "archive.zip.age");
    {
      const encryption = { recipients: recipientsOf(mine) };
      await using writer = await createArchiveWriter({ path, format: "zip", encryption });
      const noise = Array.from({ length: 60_000 }, (_, index) => Math.imul(index, 2_654_435_761) >>> 0).join("");
      for (const id of ["a", "b", "c"]) await writer.add(sampleRecord(id, "dashboards", { noise }));
      const [temporary = ""] = await readdir(folder);
      const read = (): Promise<Buffer> => readFile(join(folder, temporary));
      await expect.poll(async () => (await read()).length).toBeGreaterThan(500_000);
      const written = await read();
      expect(written.includes(noise.slice(0, 20))).toBe(false);
      expect(await readdir(folder)).toHaveLength(1);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it("has the size on disk in both summaries", async () => {
    const path = await encryptedArchive();
    await using reader = await openArchive(path, { keys: keysOf(mine) });
    expect(reader.summary).toMatchObject({ path, bytes: (await stat(path)).size });
  });

  it("asks for keys only for an encrypted archive", async () => {
    const path = await storedArchive({ format: "zip" });
    const keys = (): Promise<ArchiveKeys> => Promise.reject(new Error("asked"));
    expect(await readWith(path, keys)).toEqual(sampleRecords);
  });
});

describe("damage to an encrypted archive", () => {
  it("of any single byte is found, before a record is read", async () => {
    const path = await encryptedArchive([sampleRecord("one")]);
    const whole = await readFile(path);
    const header = whole.indexOf("\n--- ") + 80;
    for (let position = 0; position < whole.length; position += position < header ? 1 : 11) {
      const flipped = Buffer.from(whole);
      flipped[position] = (flipped[position] ?? 0) ^ (1 << (position % 8));
      await writeFile(path, flipped);
      const outcome = await outcomeWith(path, keysOf(mine));
      // A changed header looks like that of an archive for somebody else.
      expect([position, outcome]).toEqual([
        position,
        outcome === "wrong-key" && position < header ? outcome : "archive-damaged",
      ]);
    }
  });

  it("by cutting or appending is found, at the borders of age's chunks too", async () => {
    const path = await encryptedArchive([
      sampleRecord("long", "dashboards", { text: Array.from({ length: 40_000 }, (_, index) => index ** 3).join("") }),
    ]);
    const whole = await readFile(path);
    const header = whole.indexOf("\n--- ") + 1 + 48 + 16;
    const chunk = 65_536 + 16;
    expect(whole.length).toBeGreaterThan(header + 2 * chunk);
    for (const length of [1, 21, 100, header - 1, header, header + chunk, header + 2 * chunk, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, length));
      expect(`${length} ${await outcomeWith(path, keysOf(mine))}`).toBe(`${length} archive-damaged`);
    }
    await writeFile(path, Buffer.concat([whole, Buffer.from("x")]));
    expect(await outcomeWith(path, keysOf(mine))).toBe("archive-damaged");
  });

  it.each<[string, string | Buffer, string]>([
    ["nothing", "", "archive-damaged"],
    ["a zip under the name", "PK\u0003\u0004", "archive-damaged"],
    ["a later version", "age-encryption.org/v2\n--- \n", "archive-damaged"],
    ["a header without an end", `age-encryption.org/v1\n${"-> X25519 a\n\n".repeat(100_000)}`, "archive-damaged"],
    ["one endless line", `age-encryption.org/v1${"x".repeat(1_000_000)}`, "archive-damaged"],
    ["armor", "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n", "archive-unknown"],
  ])("or made of %s", async (_, content, code) => {
    const path = join(temporaryFolder(), "archive.zip.age");
    await writeFile(path, content);
    expect(await outcomeWith(path, keysOf(mine))).toBe(code);
  });

  it("that its sender made inside is found as in any other archive", async () => {
    const path = join(temporaryFolder(), "archive.zip.age");
    const encrypter = new Encrypter();
    encrypter.addRecipient(mine?.recipient ?? "");
    await writeFile(path, await encrypter.encrypt("no zip at all"));
    expect(await outcomeWith(path, keysOf(mine))).toBe("archive-unknown");
  });
});

describe("invalid keys and recipients", () => {
  it.each(["", "age1xyz", "ssh-ed25519 AAAA", "AGE-SECRET-KEY-1QQQ"])(
    "%j is refused as a recipient",
    async (recipient) => {
      const folder = temporaryFolder();
      const path = join(folder, "archive.zip.age");
      const written = writeArchive({ path, format: "zip", encryption: { recipients: [recipient] } });
      const error: unknown = await written.catch((reason: unknown) => reason);
      expect(error).toMatchObject(refusal("usage"));
      if (recipient !== "") expect(inspect(error, { showHidden: true })).not.toContain(recipient);
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it("a mistyped secret key is not repeated in the error", async () => {
    const path = await encryptedArchive();
    const mistyped = { identity: "AGE-SECRET-KEY-1QQQ", recipient: "" };
    const error: unknown = await readWith(path, keysOf(mistyped)).catch((reason: unknown) => reason);
    expect(error).toMatchObject(refusal("config"));
    expect(inspect(error, { showHidden: true })).not.toContain("QQQ");
  });
});

describe("what there may be at most", () => {
  it("is twenty recipients", async () => {
    const folder = temporaryFolder();
    const written = async (count: number): Promise<string> => {
      const recipients = Array.from({ length: count }, () => mine?.recipient ?? "");
      const path = join(folder, "archive.zip.age");
      return writeArchive({ path, format: "zip", encryption: { recipients } }).then(
        () => "written",
        (error: unknown) => (error instanceof StackferryError ? error.code : String(error)),
      );
    };
    expect([await written(20), await written(21), await written(0)]).toEqual(["written", "usage", "usage"]);
  });

  it("is what the limits leave for the records and a zip's own headers", async () => {
    const path = join(temporaryFolder(), "archive.zip.age");
    await writeFile(path, "age-encryption.org/v1\n");
    const limits = { maxTotalBytes: 1, maxManifestBytes: 1 };
    const open = () => openArchive(path, { ...limits, keys: keysOf(mine) });
    const most = 2 + 64 * 1024 * 1024;
    await truncate(path, most);
    await expect(open()).rejects.toThrow(/cannot be decrypted/);
    await truncate(path, most + 1);
    await expect(open()).rejects.toThrow(/larger than any archive within the limits/);
  });

  it("is named .age, or begins as an age file does; what only looks a little like it is none", async () => {
    const path = join(temporaryFolder(), "archive.zip");
    await writeFile(path, "age-encryption.org/v1\n--- \n");
    expect(await outcomeWith(path, keysOf(mine))).toBe("wrong-key");
    await writeFile(path, "xage-encryption.org/v1\n--- \n");
    expect(await outcomeWith(path, keysOf(mine))).toBe("archive-unknown");
    await writeFile(path, "x-----BEGIN AGE ENCRYPTED FILE-----\n");
    await expect(openArchive(path)).rejects.toThrow(/not a zip/);
    await writeFile(path, "-----BEGIN AGE ENCRYPTED FILE-----\n");
    await expect(openArchive(path)).rejects.toThrow(/armored/);
  });
});
