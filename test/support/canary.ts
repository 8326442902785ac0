import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Decrypter } from "age-encryption";
import { Open } from "unzipper";

/** A secret, and where it comes from. */
export interface Canary {
  readonly name: string;
  readonly secret: string;
}

/** Something that the program wrote. */
export interface Written {
  readonly where: string;
  readonly bytes: Buffer;
}

/** The keys with which the archives were encrypted. */
interface Keys {
  readonly identity: string;
  readonly passphrase: string;
}

/** How much of a base64 text is the same whatever stands around it: the ends depend on their neighbours. */
function inBase64(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.from(`${"\0".repeat(before)}${secret}`)
      .toString("base64")
      .replace(/=+$/, "");
    const part = text.slice(before === 0 ? 0 : 4, -2);
    return part.length < 8 ? [] : [part, part.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** The forms that the promise names: plain, base64, URL- and JSON-escaped; and hex, which dumps are made of. */
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

/** `file: secret` for every canary found in anything written. */
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

/** Every file below a folder: its name, its bytes, and if it is an archive what is in it. */
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
