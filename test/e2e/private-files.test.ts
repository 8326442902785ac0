import { generateKeyPairSync } from "node:crypto";
import { lstat, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programForTwoStacks, sampleWith, type ProgramForTwoStacks } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let stacks: ProgramForTwoStacks;
let mask = 0;

beforeAll(async () => {
  // With this umask, files are private only if the program itself makes them so.
  mask = process.umask(0);
  const seed = await sampleWith("self-hosted", "Checkout latency", "Service overview");
  const source = { variant: "self-hosted", seed } as const;
  // The target does not list webhooks, so the map file has something to fill in.
  stacks = await programForTwoStacks(source, { variant: "managed", seed: "bare", api: "contract" });
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  await writeFile(join(stacks.cwd, "signing.key"), pem, { mode: 0o600 });
});

afterAll(async () => {
  process.umask(mask);
  await stacks[Symbol.asyncDispose]();
});

/** Runs the export and then the commands that write files, or only the commands whose text contains `only`. */
async function runAll(cwd: string, only = ""): Promise<readonly number[]> {
  const lines = [
    `export --from $FROM --out a.zip --sign ${stacks.cwd}/signing.key`,
    "export --from $FROM --out tree --format folder",
    "import a.zip --to $TO --dry-run --draft-map map.yaml",
    'import a.zip --to $TO --name-prefix "copy "',
    "migrate --from $FROM --to $TO --keep-archive kept.zip",
  ];
  const codes: number[] = [];
  for (const line of lines.filter((each, index) => index === 0 || each.includes(only))) {
    codes.push((await stacks.run(`${line} --quiet`, { cwd })).exitCode);
  }
  return codes;
}

describe.skipIf(process.platform === "win32")("files that the program writes", () => {
  it("are readable by their owner only, whatever the umask", async () => {
    const cwd = temporaryFolder();
    const codes = await runAll(cwd);
    expect(codes.every((code) => code === 0 || code === 3)).toBe(true);
    const made = await readdir(cwd, { recursive: true });
    expect(made).toEqual(expect.arrayContaining(["a.zip", "a.zip.sig", "map.yaml", ".stackferry", "kept.zip"]));
    for (const name of made) {
      const stats = await lstat(join(cwd, name));
      expect(`${name} ${(stats.mode & 0o777).toString(8)}`).toBe(`${name} ${stats.isDirectory() ? "700" : "600"}`);
    }
  });

  it.each(["a.zip", "a.zip.sig", "tree", "map.yaml", "kept.zip"])(
    "are not written through a link at %s",
    async (name) => {
      const [cwd, elsewhere] = [temporaryFolder(), temporaryFolder()];
      const precious = join(elsewhere, "precious");
      await writeFile(precious, "mine");
      await symlink(name === "tree" ? elsewhere : precious, join(cwd, name));
      await runAll(cwd, name);
      expect(await readFile(precious, "utf8")).toBe("mine");
      expect(await readdir(elsewhere)).toEqual(["precious"]);
    },
  );
});
