import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdir, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf } from "../support/run-cli.ts";
import { smallBench } from "../support/small-bench.ts";

const makers: readonly [string, (path: string) => unknown][] = [
  ["FIFO", (path) => execFileSync("mkfifo", [path])],
  ["folder", (path) => mkdir(path)],
  [
    "gigabyte",
    async (path) => {
      await writeFile(path, "");
      await truncate(path, 1024 ** 3);
    },
  ],
];

describe.each(makers)("a %s in place of a file is refused at once, and named", (_, make) => {
  it("as signature (exit 4)", async () => {
    await using bench = await smallBench();
    const { publicKey } = generateKeyPairSync("ed25519");
    await writeFile(join(bench.cwd, "key.pem"), publicKey.export({ type: "spki", format: "pem" }));
    await make(join(bench.cwd, "a.zip.sig"));
    const run = await bench.run(["verify", "a.zip", "--signer", "key.pem"]);
    expect(documentOf(run)).toMatchObject({ exitCode: 4, error: { code: "archive-damaged" } });
  });

  it.each([
    ["configuration", ["doctor", "x", "--config", "f"]],
    ["certificates", ["doctor", "x", "--ca", "f"]],
    ["map file", ["import", "a.zip", "--to", "x", "--map", "f"]],
    ["secrets file", ["import", "a.zip", "--to", "x", "--secrets", "f"]],
    ["journal", ["rollback", "f", "--to", "x", "--yes"]],
    ["public key of a signer", ["verify", "a.zip", "--signer", "f"]],
    ["private key", ["export", "--from", "x", "--out", "b.zip", "--sign", "f"]],
  ])("as %s (exit 2)", async (_what, words) => {
    await using bench = await smallBench();
    await make(join(bench.cwd, "f"));
    const args = words.map((word) => (word === "x" ? bench.to.stack : word));
    const run = await bench.run(args);
    expect(documentOf(run)).toMatchObject({ exitCode: 2 });
    expect((documentOf(run)["error"] as { message: string }).message).toContain("f");
  });

  it("as lock of a journal (exit 7)", async () => {
    await using bench = await smallBench();
    await make(join(bench.cwd, "j.lock"));
    expect((await bench.import()).exitCode).toBe(7);
    await rm(join(bench.cwd, "j.lock"), { recursive: true });
  });

  it("as status of a repository", async () => {
    await using bench = await smallBench();
    await mkdir(join(bench.cwd, "repo"));
    const first = await bench.run(["backup", bench.from.stack, "--to", "repo"]);
    expect(first.exitCode).toBe(0);
    const files = await readdir(join(bench.cwd, "repo"), { recursive: true });
    const status = files.find((name) => name.endsWith("status.json")) ?? "";
    expect(status).not.toBe("");
    await rm(join(bench.cwd, "repo", status));
    await make(join(bench.cwd, "repo", status));
    const run = documentOf(await bench.run(["check", "repo", "--max-age", "1h"]));
    expect(run).toMatchObject({ exitCode: 0, warnings: [{ code: "status-unreadable" }] });
  });
});
