import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documentOf, type CliRun } from "../support/run-cli.ts";
import { programWithArchive } from "../support/program-with-archive.ts";

const AGE = "age-encryption.org/v1\n-> X25519 somebody's\n";

async function stage() {
  const program = await programWithArchive();
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  await writeFile(join(program.cwd, "sign.key"), pem, { mode: 0o600 });
  return {
    put: (name: string, text: string): Promise<void> => writeFile(join(program.cwd, name), text),
    textOf: (name: string): Promise<string> => readFile(join(program.cwd, name), "utf8"),
    exportTo: (name: string, ...more: string[]): Promise<CliRun> =>
      program.run(["export", "--from", program.from.stack, "--out", name, ...more]),
    [Symbol.asyncDispose]: async () => program[Symbol.asyncDispose](),
  };
}

it("an export to an object store is refused, with the command that stores backups there", async () => {
  await using folder = await stage();
  const run = documentOf(await folder.exportTo("s3://bucket/place/a.zip"));
  expect(run).toMatchObject({
    exitCode: 2,
    error: { code: "usage", hint: expect.stringContaining("backup --to s3://") },
  });
  expect(run).toMatchObject({ requests: { total: 0 } });
});

it.each([
  ["a text", "notes.zip", "somebody's notes"],
  ["another program's zip", "other.zip", "PK\u0003\u0004another program's zip"],
  ["an encrypted file under the name of a plain one", "key.zip", AGE],
])("an export onto a file that is %s is refused before the stack is asked, and it stays", async (_, name, text) => {
  await using folder = await stage();
  await folder.put(name, text);
  const run = documentOf(await folder.exportTo(name));
  expect(run).toMatchObject({ exitCode: 2, error: { code: "usage" }, requests: { total: 0 } });
  expect(run).toMatchObject({ error: { message: expect.stringContaining(`/${name} exists`) } });
  expect(await folder.textOf(name)).toBe(text);
});

it("an export replaces an archive of ours with its signature, and no signature that is none", async () => {
  await using folder = await stage();
  for (const _ of [1, 2]) expect((await folder.exportTo("a.zip", "--sign", "sign.key")).exitCode).toBe(0);
  await folder.put("a.zip.sig", "somebody's");
  const archive = await folder.textOf("a.zip");
  const refused = documentOf(await folder.exportTo("a.zip", "--sign", "sign.key"));
  expect(refused).toMatchObject({ exitCode: 2, error: { code: "usage" } });
  expect([await folder.textOf("a.zip.sig"), await folder.textOf("a.zip")]).toEqual(["somebody's", archive]);
  await folder.put("only.zip.sig", "somebody's");
  expect((await folder.exportTo("only.zip", "--sign", "sign.key")).exitCode).toBe(2);
});
