import { generateKeyPairSync } from "node:crypto";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFile, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keyFingerprint } from "../../../src/archive/signature.ts";
import { openArchive } from "../../../src/archive/reader.ts";
import { storedArchive, errorCodeOf, sampleRecord, writeArchive, refusal } from "../../support/archive-samples.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const { privateKey: signer, publicKey } = generateKeyPairSync("ed25519");
const other = generateKeyPairSync("ed25519");
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });

async function outcomeOf(path: string, key = publicKey): Promise<string> {
  return openArchive(path, { signer: key }).then(async (reader) => {
    await reader[Symbol.asyncDispose]();
    return "opened";
  }, errorCodeOf);
}

describe.each(["zip", "folder"] as const)("a signed %s", (format) => {
  it("is opened with its signer's public key and no other key", async () => {
    const path = await storedArchive({ format, signer });
    expect(await outcomeOf(path)).toBe("opened");
    expect(await outcomeOf(path, other.publicKey)).toBe("archive-damaged");
    expect((await stat(`${path}.sig`)).mode & 0o777).toBe(0o600);
  });

  it("is refused with the signature of another archive, an altered one, or none", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "archive");
    const second = join(folder, "second");
    await writeArchive({ path, format, signer });
    await writeArchive({ path: second, format, signer }, [sampleRecord("other")]);
    const good = await readFile(`${path}.sig`, "utf8");
    await copyFile(`${second}.sig`, `${path}.sig`);
    expect(await outcomeOf(path)).toBe("archive-damaged");
    for (const bad of [
      "",
      "{}",
      "[]",
      good.replace('"ed25519"', '"none"'),
      good.replace('"formatVersion": 1', '"formatVersion": 2'),
      good.replace(/"signature": "./, '"signature": "!'),
      good.replace(/"signature": "../, (start) => `${start.slice(0, -1)}${start.endsWith("A") ? "B" : "A"}`),
      good.replace(/"signature": ".*"/, '"signature": ""'),
      good.replace(/sha256:../, "sha256:zz"),
      good.replace("{", '{ "more": 1,'),
      `${good}${" ".repeat(5000)}`,
    ]) {
      await writeFile(`${path}.sig`, bad);
      expect(await outcomeOf(path)).toBe("archive-damaged");
    }
    await rm(`${path}.sig`);
    expect(await outcomeOf(path)).toBe("archive-damaged");
    await writeFile(`${path}.sig`, good);
    expect(await outcomeOf(path)).toBe("opened");
  });
});

it("the check of a signature says what to do about a missing one or another key, and does not call the archive altered", async () => {
  const path = await storedArchive({ format: "zip", signer });
  const hintFor = async (key = publicKey): Promise<unknown> =>
    openArchive(path, { signer: key }).catch((error: unknown) => Reflect.get(Object(error), "hint"));
  expect(await hintFor(other.publicKey)).toContain("public key of the signer");
  await rm(`${path}.sig`);
  expect(await hintFor()).toContain("get the .sig file");
});

it("the check of a signature is not fooled by a forger who states the signer's fingerprint", async () => {
  const path = await storedArchive({ format: "zip", signer: other.privateKey });
  const forged = await readFile(`${path}.sig`, "utf8");
  await writeFile(`${path}.sig`, forged.replace(keyFingerprint(other.publicKey), keyFingerprint(publicKey)));
  expect(await outcomeOf(path)).toBe("archive-damaged");
});

it("the check of a signature notices a manifest that was changed where no checksum reaches", async () => {
  const path = await storedArchive({ format: "folder", signer });
  const manifest = join(path, "manifest.json");
  const text = await readFile(manifest, "utf8");
  await writeFile(manifest, text.replace("http://localhost:8000", "http://localhost:9000"));
  expect(await openArchive(path).then(() => "opened", errorCodeOf)).toBe("opened");
  expect(await outcomeOf(path)).toBe("archive-damaged");
});

it("a signature stays with the archive through zip, folder and renaming", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "archive");
  await writeArchive({ path, format: "folder", signer });
  await writeArchive({ path: join(folder, "archive.zip"), format: "zip" });
  await rename(`${path}.sig`, `${path}.zip.sig`);
  expect(await outcomeOf(`${path}.zip`)).toBe("opened");
});

it("a signing export replaces a link in the place of the signature instead of following it", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "archive.zip");
  const precious = join(folder, "precious");
  await writeFile(precious, "mine");
  await symlink(precious, `${path}.sig`);
  await writeArchive({ path, format: "zip", signer });
  expect(await readFile(precious, "utf8")).toBe("mine");
  expect(await outcomeOf(path)).toBe("opened");
});

it("a signing export leaves the archive that was there, if the signature of the new one cannot be written", async () => {
  const folder = temporaryFolder();
  // With this name, the archive's temporary name has 255 characters, the maximum. The signature's temporary name is longer, so it
  // cannot be written.
  const path = join(folder, "a".repeat(232));
  await writeArchive({ path, format: "zip" });
  const former = await readFile(path);
  await expect(writeArchive({ path, format: "zip", signer }, [sampleRecord("other")])).rejects.toMatchObject({
    code: "archive-io",
  });
  expect(await readFile(path)).toEqual(former);
  expect(await readdir(folder)).toEqual(["a".repeat(232)]);
});

it("a signature takes Ed25519 keys of the right half only", async () => {
  const path = join(temporaryFolder(), "archive.zip");
  for (const key of [rsa.privateKey, publicKey])
    await expect(writeArchive({ path, format: "zip", signer: key })).rejects.toMatchObject(refusal("usage"));
  await writeArchive({ path, format: "zip", signer });
  for (const key of [rsa.publicKey, signer]) expect(await outcomeOf(path, key)).toBe("usage");
});

// The tools that docs/archive-format.md uses. The test is skipped on a machine without them.
const hasTools = spawnSync("sh", ["-c", "openssl version && sha256sum --version && sed --version"]).status === 0;
it.skipIf(!hasTools)("a signature can be checked by hand with openssl, as documented", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "archive");
  await writeArchive({ path, format: "folder", signer });
  await writeFile(join(folder, "signer.pub"), publicKey.export({ type: "spki", format: "pem" }));
  const signature = /"signature": "(.*)"/.exec(await readFile(`${path}.sig`, "utf8"))?.[1] ?? "";
  await writeFile(join(folder, "signature"), Buffer.from(signature, "base64"));
  const script = `printf 'stackferry-signature 1\\n%s\\n%s\\n' "$(sed -n 's/^  "contentDigest": "\\(.*\\)",/\\1/p' archive/manifest.json)" \
    "$(sha256sum < archive/manifest.json | cut -d' ' -f1)" > message
    openssl pkeyutl -verify -pubin -inkey signer.pub -rawin -in message -sigfile signature`;
  expect(execFileSync("sh", ["-c", script], { cwd: folder, encoding: "utf8" })).toContain("Verified Successfully");
});
