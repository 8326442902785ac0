import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Decrypter } from "age-encryption";
import { Open } from "unzipper";

/** A secret, and its origin. */
export interface Canary {
  readonly name: string;
  readonly secret: string;
}

/** A file or an output that the program wrote. */
export interface Written {
  readonly where: string;
  readonly bytes: Buffer;
}

/** The keys that open the encrypted archives. */
interface Keys {
  readonly identity: string;
  readonly passphrase: string;
}

/** Returns the part of the secret's base64 form that does not depend on the text around the secret. */
function inBase64(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.from(`${"\0".repeat(before)}${secret}`)
      .toString("base64")
      .replace(/=+$/, "");
    const part = text.slice(before === 0 ? 0 : 4, -2);
    return part.length < 8 ? [] : [part, part.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Returns the forms in which a secret must not appear: plain, base64, URL-escaped, JSON-escaped, and hex, as in dumps. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(secret),
    encodeURIComponent(encodeURIComponent(secret)),
    Buffer.from(secret).toString("hex"),
    ...inBase64(secret),
  ];
}

/** Returns `file: secret` for every canary that is found in a written file or output. */
export function secretsFoundIn(canaries: readonly Canary[], written: readonly Written[]): string[] {
  const wanted = canaries.flatMap(({ name, secret }) =>
    formsOf(secret).map((form) => ({ name, form: Buffer.from(form) })),
  );
  return written.flatMap(({ where, bytes }) =>
    wanted
      .filter(({ form }) => bytes.includes(form))
      .map(({ name, form }) => `${where}: ${name} as ${form.toString()}`),
  );
}

/** Returns every file below a folder: its name, its bytes, and the content of archives. */
export async function writtenBelow(folder: string, keys: Keys): Promise<Written[]> {
  const written: Written[] = [];
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    written.push({ where: `the name ${path}`, bytes: Buffer.from(path) });
    if (!file.isFile()) continue;
    const bytes = await readFile(path);
    written.push({ where: path, bytes }, ...(await openBytes(path, bytes, keys)));
  }
  return written;
}

async function openBytes(path: string, bytes: Buffer, keys: Keys): Promise<Written[]> {
  if (bytes.subarray(0, 21).toString("latin1") === "age-encryption.org/v1") {
    const decrypter = new Decrypter();
    decrypter.addIdentity(keys.identity);
    decrypter.addPassphrase(keys.passphrase);
    return openBytes(`${path} decrypted`, Buffer.from(await decrypter.decrypt(bytes)), keys);
  }
  if (bytes.subarray(0, 2).toString("latin1") !== "PK") return [];
  const { files } = await Open.buffer(bytes);
  return Promise.all(files.map(async (file) => ({ where: `${path}/${file.path}`, bytes: await file.buffer() })));
}
