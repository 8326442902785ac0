import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CliRun } from "../support/run-cli.ts";
import { documentOf } from "../support/run-cli.ts";
import { bucketRepository, startS3Server } from "../support/s3-server.ts";
import { smallBench } from "../support/small-bench.ts";

const AGE = "age-encryption.org/v1\n-> X25519 somebody's\n";

async function stage() {
  const server = await startS3Server({ conditional: true });
  const bench = await smallBench();
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  await writeFile(join(bench.cwd, "sign.key"), pem, { mode: 0o600 });
  const repository = await bucketRepository(server, "place");
  let count = 0;
  return {
    put: async (name: string, text: string): Promise<void> => {
      const path = join(bench.cwd, `object-${(count += 1)}`);
      await writeFile(path, text);
      await repository.put(path, name);
    },
    textOf: async (name: string): Promise<string> => {
      const path = join(bench.cwd, `copy-${(count += 1)}`);
      await repository.fetch(name, path);
      return readFile(path, "utf8");
    },
    exportTo: (name: string, ...more: string[]): Promise<CliRun> =>
      bench.run(["export", "--from", bench.from.stack, "--out", `s3://${server.bucket}/place/${name}`, ...more], {
        env: { ...bench.env, ...server.env },
      }),
    [Symbol.asyncDispose]: async () => {
      await repository[Symbol.asyncDispose]();
      await bench[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

it.each([
  ["a text", "notes.zip", "somebody's notes"],
  ["another program's zip", "other.zip", "PK\u0003\u0004another program's zip"],
  ["an encrypted file under the name of a plain one", "key.zip", AGE],
])("an export onto an object that is %s is refused before the stack is asked, and it stays", async (_, name, text) => {
  await using bucket = await stage();
  await bucket.put(name, text);
  const run = documentOf(await bucket.exportTo(name));
  expect(run).toMatchObject({ exitCode: 2, error: { code: "usage" }, requests: { total: 0 } });
  expect(run).toMatchObject({ error: { message: expect.stringContaining(`/place/${name} exists`) } });
  expect(await bucket.textOf(name)).toBe(text);
});

it("an export replaces an archive of ours with its signature, and no signature that is none", async () => {
  await using bucket = await stage();
  for (const _ of [1, 2]) expect((await bucket.exportTo("a.zip", "--sign", "sign.key")).exitCode).toBe(0);
  await bucket.put("a.zip.sig", "somebody's");
  const archive = await bucket.textOf("a.zip");
  const refused = documentOf(await bucket.exportTo("a.zip", "--sign", "sign.key"));
  expect(refused).toMatchObject({ exitCode: 2, error: { code: "usage" } });
  expect([await bucket.textOf("a.zip.sig"), await bucket.textOf("a.zip")]).toEqual(["somebody's", archive]);
  await bucket.put("only.zip.sig", "somebody's");
  expect((await bucket.exportTo("only.zip", "--sign", "sign.key")).exitCode).toBe(2);
});
