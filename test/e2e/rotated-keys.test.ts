import { generateKeyPairSync } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { hoursLater, programWithBackups, oneDashboardStack } from "../support/program-with-backups.ts";
import { cheapPassphrases } from "../support/cheap-passphrases.ts";

let production: Sandbox;
let first = "";
let second = "";
let identity = "";

beforeAll(async () => {
  production = await oneDashboardStack();
  identity = await generateIdentity();
  first = `--recipient ${await identityToRecipient(identity)}`;
  second = `--recipient ${await identityToRecipient(await generateIdentity())}`;
});

afterAll(() => production.close());

/** Prepares a repository and key files. `backup` backs up the unchanged stack with `--if-changed`, and returns the result. */
async function unchangedStack() {
  const { cwd, repository, json } = await programWithBackups({ production });
  const secret = (name: string, text: string) => writeFile(join(cwd, name), text, { mode: 0o600 });
  await secret("key.txt", identity);
  for (const name of ["first", "second"]) {
    const { privateKey } = generateKeyPairSync("ed25519");
    await secret(`${name}.key`, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
    await secret(`${name}.words`, `the ${name} words that nobody guesses`);
  }
  let hours = 0;
  const backup = async (flags: string): Promise<unknown> => {
    const run = await json(`backup production --to place --if-changed ${flags}`, hoursLater((hours += 1)));
    const [end] = (run["stacks"] ?? []) as { result: string }[];
    return end?.result;
  };
  const backups = async (all: readonly string[]): Promise<unknown[]> => {
    const results: unknown[] = [];
    for (const flags of all) results.push(await backup(flags));
    return results;
  };
  return { folder: join(repository, "production"), backup, backups };
}

it("new recipients get a backup once, in whatever order they are named", async () => {
  const { backups } = await unchangedStack();
  const named = [first, first, second, second, `${first} ${second}`, `${second} ${first}`];
  const results = ["stored", "unchanged", "stored", "unchanged", "stored", "unchanged"];
  expect(await backups(named)).toEqual(results);
});

it("a new passphrase gets a backup once, and so does the change between passphrase and recipients", async () => {
  using _ = cheapPassphrases();
  const { backups } = await unchangedStack();
  const words = (name: string) => `--passphrase-file ${name}.words --identity key.txt`;
  expect(await backups([words("first"), words("first"), words("second"), words("second")])).toEqual([
    "stored",
    "unchanged",
    "stored",
    "unchanged",
  ]);
  const others = [`${first} --identity key.txt`, words("first"), `${first} --identity key.txt`];
  expect(await backups(others)).toEqual(["stored", "stored", "stored"]);
});

it("a new signer signs a backup once, and so does one whose signature is missing", async () => {
  const { backup, backups, folder } = await unchangedStack();
  const named = ["", "--sign first.key", "--sign first.key", "--sign second.key", "--sign second.key", ""];
  expect(await backups(named)).toEqual(["stored", "stored", "unchanged", "stored", "unchanged", "unchanged"]);
  const signatures = (await readdir(folder)).filter((name) => name.endsWith(".sig")).toSorted();
  expect(signatures).toHaveLength(2);
  await rm(join(folder, signatures[1] ?? ""));
  expect(await backup("--sign second.key")).toBe("stored");
});
