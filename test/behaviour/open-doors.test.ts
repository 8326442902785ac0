import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { documentOf } from "../support/run-cli.ts";
import { smallBench } from "../support/small-bench.ts";

const program = fileURLToPath(new URL("../../bin/stackferry.js", import.meta.url));

describe("an output that is full", () => {
  it.each(["inspect a.zip", "inspect a.zip --json"])("is told in a sentence, and %s ends with 1", async (line) => {
    await using bench = await smallBench();
    expect((await bench.run(["export", "--from", bench.from.stack, "--out", "a.zip"])).exitCode).toBe(0);
    const command = `"${process.execPath}" "${program}" ${line} > /dev/full`;
    const end = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile("sh", ["-c", command], { cwd: bench.cwd }, (error, _stdout, stderr) =>
        resolve({ code: error?.code, stderr }),
      );
    });
    expect(end.code).toBe(1);
    expect(end.stderr).toContain("ENOSPC");
    expect(end.stderr).not.toMatch(/^\s+at /m);
  });
});

describe("a configuration that others may write", () => {
  it.each([
    [0o666, ["writable-by-others"]],
    [0o644, []],
  ])("is warned of: mode %o", async (mode, codes) => {
    await using bench = await smallBench();
    const path = join(bench.cwd, "stackferry.yaml");
    await writeFile(path, "stacks: {}\n");
    await chmod(path, mode);
    const { warnings } = documentOf(await bench.run(["doctor", bench.from.stack])) as { warnings: { code: string }[] };
    expect(warnings.map(({ code }) => code).filter((code) => code === "writable-by-others")).toEqual(codes);
  });
});
