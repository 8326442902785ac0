import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { StackferryError } from "../../core/errors.ts";
import type { Warning } from "../../core/outcome.ts";
import { ENCODING_HINT, encodingFlaw, withoutLineEnd } from "../../core/text/encoding.ts";
import { platform } from "node:os";
import { NotAFileError, openRegularFile } from "../../files/regular-file.ts";

export interface LoadedSecret<T> {
  readonly value: T;
  readonly warnings: readonly Warning[];
}

const IDENTITY = /^AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]+$/;

export async function loadIdentities(path: string): Promise<LoadedSecret<readonly string[]>> {
  const { value: text, warnings } = await readSecretFile(path, "identity file");
  const lines = text.split("\n").map((line) => line.trim());
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#"));
  const wrong = lines.findIndex((line) => keys.includes(line) && !IDENTITY.test(line));
  if (wrong >= 0 || keys.length === 0) {
    const where = wrong < 0 ? "holds no key" : `has something other than an age secret key in line ${wrong + 1}`;
    const hint = "create one with age-keygen -o FILE; SSH keys, plugins and encrypted identity files are not supported";
    throw new StackferryError("config", `the identity file ${path} ${where}`, { hint });
  }
  return { value: keys, warnings };
}

export async function loadPassphrase(path: string): Promise<LoadedSecret<string>> {
  const { value: text, warnings } = await readSecretFile(path, "passphrase file");
  const value = withoutLineEnd(text);
  if (value !== "" && !value.includes("\n")) return { value, warnings };
  const problem = value === "" ? "is empty" : "has more than one line";
  throw new StackferryError("config", `the passphrase file ${path} ${problem}`, {
    hint: "the file must contain only the passphrase",
  });
}

export function loadClientKey(path: string): Promise<LoadedSecret<string>> {
  return readSecretFile(path, "client key");
}

export async function loadSigningKey(path: string): Promise<LoadedSecret<KeyObject>> {
  const { value: text, warnings } = await readSecretFile(path, "signing key");
  return { value: parseKey(() => createPrivateKey(text), path, "private"), warnings };
}

export async function loadSignerKey(path: string): Promise<KeyObject> {
  const { value: text } = await readSecretFile(path, "signer's public key");
  // Node would derive the public key, but a private key must not be on a machine that only verifies.
  if (text.includes("PRIVATE KEY")) throw unusableKey(path, "public");
  return parseKey(() => createPublicKey(text), path, "public");
}

function parseKey(parse: () => KeyObject, path: string, half: "private" | "public"): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = parse();
  } catch {
    // Node's error is dropped, because it may quote the file.
  }
  if (key?.asymmetricKeyType === "ed25519") return key;
  throw unusableKey(path, half);
}

function unusableKey(path: string, half: "private" | "public"): StackferryError {
  const make =
    half === "private"
      ? "openssl genpkey -algorithm ed25519 -out signing.key makes one (without a passphrase)"
      : "openssl pkey -in signing.key -pubout -out signer.pub makes one";
  return new StackferryError("config", `${path} is not an Ed25519 ${half} key in PEM form`, { hint: make });
}

/** A larger file is probably the wrong file. */
const MAX_BYTES = 64 * 1024;
const READABLE_BY_OTHERS = 0o044;

/** @throws StackferryError `config` that names the file and contains no content */
async function readSecretFile(path: string, noun: string): Promise<LoadedSecret<string>> {
  try {
    await using file = await openRegularFile(path);
    const { mode, size } = await file.stat();
    if (size > MAX_BYTES) throw unusableFileError(`the ${noun} ${path} is too large`);
    const value = await file.readFile("utf8");
    const flaw = encodingFlaw(value);
    if (flaw !== undefined) throw unusableFileError(`the ${noun} ${path} ${flaw}`, undefined, ENCODING_HINT);
    return { value, warnings: exposureWarnings(mode, path, noun) };
  } catch (error) {
    if (error instanceof StackferryError) throw error;
    const why = error instanceof NotAFileError ? `: ${error.message}` : "";
    throw unusableFileError(`the ${noun} ${path} cannot be read${why}`, error);
  }
}

/** There is no warning on Windows, which has no such modes. */
export function exposureWarnings(mode: number, path: string, noun: string): Warning[] {
  if (platform() === "win32" || (mode & READABLE_BY_OTHERS) === 0) return [];
  return [{ code: "open-permissions", message: `the ${noun} ${path} can be read by others: run chmod 600 on it` }];
}

function unusableFileError(problem: string, cause?: unknown, hint = "check the path"): StackferryError {
  return new StackferryError("config", problem, { cause, hint });
}
