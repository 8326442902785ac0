import { createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { z } from "zod";
import { StackferryError } from "../core/errors.ts";
import { canonicalJson } from "../core/json.ts";
import { siblingPath, writeNewFile } from "../files/atomic-write.ts";
import { fileError, systemErrorCode } from "../files/errors.ts";
import { NotAFileError, openRegularFile, readRange } from "../files/regular-file.ts";
import { sha256 } from "./entry.ts";
import { damagedArchiveError } from "./errors.ts";
import { decodeJson } from "./record.ts";

const FORMAT = "stackferry-signature";
const VERSION = 1;
/** A signature file of this program has about 300 bytes. */
const MAX_BYTES = 4096;
const BOUNDS = { maxDepth: 2, maxValues: 20 };

const signatureSchema = z.strictObject({
  format: z.literal(FORMAT),
  formatVersion: z.literal(VERSION),
  algorithm: z.literal("ed25519"),
  keyFingerprint: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  // The last base64 digit of 64 bytes has two bits: A, Q, g or w.
  signature: z.string().regex(/^[A-Za-z0-9+/]{85}[AQgw]==$/),
});

/** Format version 1 has no place for a signature in the archive. */
export function signaturePath(archive: string): string {
  return `${archive}.sig`;
}

/** Same digest as `openssl pkey -pubin -outform DER | sha256sum`. */
export function keyFingerprint(key: KeyObject): string {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  return `sha256:${sha256(publicKey.export({ type: "spki", format: "der" }))}`;
}

/** Another algorithm would need another signature format. @throws StackferryError `usage` */
export function requireEd25519(key: KeyObject, type: "private" | "public"): void {
  if (key.type === type && key.asymmetricKeyType === "ed25519") return;
  throw new StackferryError("usage", `the key is not an Ed25519 ${type} key`, {
    hint: "docs/archive-format.md says how to make a key pair",
  });
}

export interface StagedSignature {
  readonly place: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

/**
 * Writes the signature before the archive is moved, so that a full disk leaves no unsigned archive.
 * @param manifestSha256 digest of the manifest's file, in hex
 */
export async function stageSignature(
  archive: string,
  key: KeyObject,
  contentDigest: string,
  manifestSha256: string,
): Promise<StagedSignature> {
  const signature = sign(null, signedMessage(contentDigest, manifestSha256), key).toString("base64");
  const about = { format: FORMAT, formatVersion: VERSION, algorithm: "ed25519" };
  const path = signaturePath(archive);
  const staged = siblingPath(path, "part");
  await writeNewFile(staged, canonicalJson({ ...about, keyFingerprint: keyFingerprint(key), signature }));
  return { place: () => rename(staged, path), discard: () => rm(staged, { force: true }) };
}

const NO_SIGNATURE = "get the .sig file that was written with the archive; an archive that was never signed has none";
const OTHER_KEY =
  "give the public key of the signer; if this is the right key, use another copy of archive and signature";

export async function checkSignature(
  archive: string,
  signer: KeyObject,
  contentDigest: string,
  manifestSha256: string,
): Promise<void> {
  const path = signaturePath(archive);
  const parsed = parseSignature(await readSignature(path));
  if (parsed === undefined) throw damagedArchiveError(`${path} is not a signature that this version reads`);
  const { signature, keyFingerprint: stated } = parsed;
  const expected = keyFingerprint(signer);
  if (stated !== expected)
    throw damagedArchiveError(
      `${path} was made with another key, ${stated}, not with ${expected}`,
      undefined,
      OTHER_KEY,
    );
  if (!verify(null, signedMessage(contentDigest, manifestSha256), signer, Buffer.from(signature, "base64"))) {
    throw damagedArchiveError(`${path} is not the signature of this archive: one of the two was altered or replaced`);
  }
}

function parseSignature(file: Uint8Array) {
  const decoded = decodeJson(file, BOUNDS);
  return signatureSchema.safeParse(decoded.ok ? decoded.value : undefined).data;
}

/** Covers the records, because the manifest has their checksums. */
function signedMessage(contentDigest: string, manifestSha256: string): Buffer {
  return Buffer.from(`${FORMAT} ${VERSION}\n${contentDigest}\n${manifestSha256}\n`, "utf8");
}

async function readSignature(path: string): Promise<Uint8Array> {
  try {
    await using handle = await openRegularFile(path);
    const { size } = await handle.stat();
    const bytes = size > MAX_BYTES ? undefined : await readRange(handle, 0, size);
    if (bytes === undefined) throw damagedArchiveError(`${path} is not a signature: it is too large`);
    return bytes;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") {
      throw damagedArchiveError(`there is no signature at ${path}`, error, NO_SIGNATURE);
    }
    if (error instanceof NotAFileError)
      throw damagedArchiveError(`${path} is not a signature: ${error.message}`, error);
    throw fileError("read the signature", path, error);
  }
}
