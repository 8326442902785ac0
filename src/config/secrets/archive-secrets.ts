import type { KeyObject } from "node:crypto";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { StackferryError } from "../../core/errors.ts";
import type { Warning } from "../../core/outcome.ts";
import { readSecretFile } from "./secret-file.ts";

/** A value of a secret file, and the warnings about the file. */
export interface Loaded<T> {
  readonly value: T;
  readonly warnings: readonly Warning[];
}

const IDENTITY = /^AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]+$/;

/** Loads the secret keys of an age identity file: one per line, `#` begins a comment. @throws StackferryError `config` */
export async function loadIdentities(path: string): Promise<Loaded<readonly string[]>> {
  const { text, warnings } = await readSecretFile(path, "identity file");
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

/** Loads a passphrase: the whole file except a final line end. @throws StackferryError `config` */
export async function loadPassphrase(path: string): Promise<Loaded<string>> {
  const { text, warnings } = await readSecretFile(path, "passphrase file");
  const value = text.replace(/\r?\n$/, "");
  if (value !== "" && !value.includes("\n")) return { value, warnings };
  const problem = value === "" ? "is empty" : "has more than one line";
  throw new StackferryError("config", `the passphrase file ${path} ${problem}`, {
    hint: "the file must contain only the passphrase",
  });
}

/** Loads an Ed25519 private key in PEM form. @throws StackferryError `config` */
export async function loadSigningKey(path: string): Promise<Loaded<KeyObject>> {
  const { text, warnings } = await readSecretFile(path, "signing key");
  return { value: parseKey(() => createPrivateKey(text), path, "private"), warnings };
}

/** Loads an Ed25519 public key in PEM form. @throws StackferryError `config` */
export async function loadSignerKey(path: string): Promise<KeyObject> {
  const { text } = await readSecretFile(path, "signer's public key");
  // Node would silently derive the public key from a private one, which would then stay on a machine that only verifies.
  if (text.includes("PRIVATE KEY")) throw unusableKey(path, "public");
  return parseKey(() => createPublicKey(text), path, "public");
}

function parseKey(parse: () => KeyObject, path: string, half: "private" | "public"): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = parse();
  } catch {
    // The library's error does not help, and no content of the file belongs in a message.
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
