import { generateKeyPairSync } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import {
  loadIdentities,
  loadPassphrase,
  loadSignerKey,
  loadSigningKey,
} from "../../../../src/config/secrets/archive-secrets.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const KEY = "AGE-SECRET-KEY-1QQPQYRX8GZ3Y8N3Z5GZ6V4Z6V4Z6V4Z6V4Z6V4Z6V4Z6V4Z6V4SECRET";
const SECRET = "SECRET-thing";
const ed25519 = generateKeyPairSync("ed25519");
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const privatePem = ed25519.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const publicPem = ed25519.publicKey.export({ type: "spki", format: "pem" }).toString();
const lockedPem = ed25519.privateKey
  .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
  .toString();

let folder = "";
beforeAll(async () => {
  folder = temporaryFolder();
});

async function file(text: string, mode = 0o600): Promise<string> {
  const path = join(folder, "file");
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

async function refusalOf(loading: Promise<unknown>): Promise<unknown> {
  return loading.then(
    () => "loaded",
    (error: unknown) => error,
  );
}

describe("an identity file", () => {
  it("may have keys, comments and empty lines", async () => {
    const path = await file(`# created: today\n# public key: age1…\n${KEY}\r\n\n${KEY}2\n`);
    expect(await loadIdentities(path)).toEqual({ value: [KEY, `${KEY}2`], warnings: [] });
  });

  it.each([
    "",
    "# nothing\n",
    `ssh-${SECRET}`,
    `${KEY}\nage1${SECRET}`,
    `AGE-PLUGIN-${SECRET}-1AA`,
    KEY.toLowerCase(),
    "x".repeat(70_000),
  ])("is refused with the content %j", async (text) => {
    const error = await refusalOf(loadIdentities(await file(text)));
    expect(error).toMatchObject({ code: "config" });
    expect(inspect(error)).not.toContain(SECRET);
  });
});

describe("a passphrase file", () => {
  it.each(["one two three", "one two three\n", "one two three\r\n"])("has one line: %j", async (text) => {
    expect(await loadPassphrase(await file(text))).toEqual({ value: "one two three", warnings: [] });
  });

  it.each(["", "\n", `${SECRET}\nmore`])("is refused with the content %j", async (text) => {
    const error = await refusalOf(loadPassphrase(await file(text)));
    expect(error).toMatchObject({ code: "config" });
    expect(inspect(error)).not.toContain(SECRET);
  });
});

describe("signing keys", () => {
  it("are read as a private key for signing, and as a public key for verifying", async () => {
    expect((await loadSigningKey(await file(privatePem))).value.type).toBe("private");
    expect((await loadSignerKey(await file(publicPem))).type).toBe("public");
  });

  it.each<[string, string]>([
    ["a public key", publicPem],
    ["an RSA key", rsa.privateKey.export({ type: "pkcs8", format: "pem" }).toString()],
    ["a key under a passphrase", lockedPem],
    ["something else", SECRET],
  ])("%s is refused for signing", async (_, text) => {
    const error = await refusalOf(loadSigningKey(await file(text)));
    expect(error).toMatchObject({ code: "config" });
    expect(inspect(error)).not.toContain(SECRET);
  });

  it.each<[string, string]>([
    ["a private key", privatePem],
    ["an RSA key", rsa.publicKey.export({ type: "spki", format: "pem" }).toString()],
    ["something else", SECRET],
  ])("%s is refused for verifying", async (_, text) => {
    expect(await refusalOf(loadSignerKey(await file(text)))).toMatchObject({ code: "config" });
  });
});

it("a missing identity file is named in the error", async () => {
  const path = join(folder, "none");
  expect(await refusalOf(loadIdentities(path))).toMatchObject({
    code: "config",
    message: expect.stringContaining(path),
  });
});

it.skipIf(process.platform === "win32").each([
  [0o600, 0],
  [0o400, 0],
  [0o640, 1],
  [0o644, 1],
])("a passphrase file with mode %o gets %i warnings", async (mode, count) => {
  const { warnings } = await loadPassphrase(await file("secret words", mode));
  expect(warnings.map(({ code }) => code)).toEqual(Array.from({ length: count }, () => "open-permissions"));
});
