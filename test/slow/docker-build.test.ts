import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

describe("samples/Dockerfile", () => {
  const read = async (): Promise<string[]> => {
    const joined = (await readFile(join(root, "samples/Dockerfile"), "utf8")).replaceAll("\\\n", " ");
    return joined.split("\n").filter((line) => /^[A-Z]+ /.test(line));
  };

  it("builds the program from what it copies, in an empty folder", async () => {
    const cwd = temporaryFolder();
    const lines = await read();
    const copies = lines.filter((line) => /^COPY (?!--from)/.test(line)).map((line) => line.split(/ +/).slice(1));
    const execute = promisify(execFile);
    for (const words of copies) {
      const target = join(cwd, words.at(-1) ?? "");
      // Like Docker, copy the content of a single folder, but several files as they are.
      for (const source of words.slice(0, -1))
        await cp(join(root, source), words.length === 2 && !words[0]?.includes(".") ? target : join(target, source), {
          recursive: true,
        });
    }
    // npm ci would install the same packages as the repository has.
    await symlink(join(root, "node_modules"), join(cwd, "node_modules"));
    const commands = lines.filter((line) => line.startsWith("RUN ")).map((line) => line.slice("RUN ".length));
    expect(commands.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      "npm ci",
      "npm pack",
      "npm install",
    ]);
    await execute("sh", ["-ec", commands[1] ?? ""], { cwd });
    await mkdir(join(cwd, "installed"));
    await execute("tar", ["-xzf", "stackferry.tgz", "-C", "installed"], { cwd });
    const program = join(cwd, "installed/package/bin/stackferry.js");
    const { stdout } = await execute(process.execPath, [program, "export", "--help"], { cwd });
    expect(stdout).toContain("stackferry export --from production");
  }, 120_000);
});
