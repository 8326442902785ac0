import { generateKeyPairSync } from "node:crypto";
import { lstat, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let source: Sandbox;
let target: Sandbox;
let keys = "";
let mask = 0;

beforeAll(async () => {
  // Nothing but the program itself keeps others out.
  mask = process.umask(0);
  source = await startSandbox({ variant: "self-hosted", seed: "sample" });
  // It lists no webhooks, so there is something to fill in.
  target = await startSandbox({ variant: "managed", seed: "bare", api: "contract" });
  keys = temporaryFolder();
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  await writeFile(join(keys, "signing.key"), pem, { mode: 0o600 });
});

afterAll(async () => {
  process.umask(mask);
  await Promise.all([source.close(), target.close()]);
});

/** Runs the commands that make files, or the export and the one of them that makes this file. */
async function runAll(cwd: string, only?: string): Promise<readonly number[]> {
  const env = sandboxEnv(source, target);
  const to = ["--to", target.stack, "--yes"];
  const codes: number[] = [];
  const lines = [
    ["export", "--from", source.stack, "--out", "a.zip", "--sign", join(keys, "signing.key")],
    ["export", "--from", source.stack, "--out", "tree", "--format", "folder"],
    ["import", "a.zip", ...to, "--dry-run", "--draft-map", "map.yaml"],
    ["import", "a.zip", ...to, "--journal", "the.journal", "--on-conflict", "duplicate"],
    ["migrate", "--from", source.stack, ...to, "--keep-archive", "kept.zip"],
  ];
  const asked = lines.filter((args, index) => index === 0 || only === undefined || args.includes(only));
  for (const args of asked) codes.push((await runCli([...args, "--quiet"], { cwd, env })).exitCode);
  return codes;
}

describe.skipIf(process.platform === "win32")("files that the program makes", () => {
  it("are their owner's only, whatever the umask", async () => {
    const cwd = temporaryFolder();
    const codes = await runAll(cwd);
    expect(codes.every((code) => code === 0 || code === 3)).toBe(true);
    const made = await readdir(cwd, { recursive: true });
    expect(made).toEqual(expect.arrayContaining(["a.zip", "a.zip.sig", "map.yaml", "the.journal", "kept.zip"]));
    for (const name of made) {
      const stats = await lstat(join(cwd, name));
      expect(`${name} ${(stats.mode & 0o777).toString(8)}`).toBe(`${name} ${stats.isDirectory() ? "700" : "600"}`);
    }
  });

  it.each(["a.zip", "a.zip.sig", "tree", "map.yaml", "the.journal", "the.journal.lock", "kept.zip"])(
    "are not written through a link at %s",
    async (name) => {
      const cwd = temporaryFolder();
      const elsewhere = temporaryFolder();
      const precious = join(elsewhere, "precious");
      await writeFile(precious, "mine");
      await symlink(name === "tree" ? elsewhere : precious, join(cwd, name));
      await runAll(cwd, name.replace(".lock", ""));
      expect(await readFile(precious, "utf8")).toBe("mine");
      expect(await readdir(elsewhere)).toEqual(["precious"]);
    },
    60_000,
  );
});
