import { execFile, spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/program/commands.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const MAX_MS = 300_000;
const MAX_INSTALLED_BYTES = 50_000_000;
const MAX_PACKAGES = 110;

const platform = `${process.platform}-${process.arch}`;
let out = "";
let tarball = "";
let executable = "";
const sandboxes: ChildProcess[] = [];

beforeAll(async () => {
  out = join(temporaryFolder(), "release");
  await run(process.execPath, ["scripts/release.js", "--out", out], { cwd: root, maxBuffer: 2 ** 24 });
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  tarball = `stackferry-${version}.tgz`;
  executable = `stackferry-${version}-${platform}`;
}, MAX_MS);

afterEach(() => {
  for (const sandbox of sandboxes.splice(0)) sandbox.kill();
});

const read = (path: string): string => readFileSync(join(out, path), "utf8");

/** Returns the environment of a machine with only Node: no cache, no registry, no repository. */
function bareEnvironment(home: string): NodeJS.ProcessEnv {
  return { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home, npm_config_offline: "true" };
}

/** Follows the README in an empty folder: starts a sandbox, then runs `init` and a first backup. */
async function firstBackup(program: string): Promise<void> {
  const cwd = temporaryFolder();
  const env = bareEnvironment(cwd);
  const sandbox = spawn(program, ["sandbox", "--variant", "self-hosted", "--seed", "sample", "--json"], { cwd, env });
  sandboxes.push(sandbox);
  const [line] = (await once(createInterface(sandbox.stdout), "line")) as [string];
  const { stack, apiKey } = JSON.parse(line) as { stack: string; apiKey: string };
  const stackferry = async (...words: string[]): Promise<string> =>
    (await run(program, words, { cwd, env: { ...env, PRODUCTION_API_KEY: apiKey } })).stdout;

  await stackferry("init", "--url", stack, "--api-key-from", "env:PRODUCTION_API_KEY");
  await mkdir(join(cwd, "backups"));
  await stackferry("backup", "production", "--to", "backups");
  const kept: unknown = JSON.parse(await stackferry("inspect", "backups/production", "--json"));
  expect(kept).toMatchObject({ ok: true });
  await stackferry("report", "backups/production@latest", "--out", "production.html");
  expect(readFileSync(join(cwd, "production.html"), "utf8")).toContain("</html>");
  expect(await stackferry("verify", "backups/production")).toContain("35 records");
}

describe("a release", () => {
  it("is packed without a line for each of its files", async () => {
    const { stdout, stderr } = await run("npm", ["pack", "--dry-run", "--ignore-scripts"], { cwd: root });
    expect(stdout.trim().split("\n")).toEqual([expect.stringMatching(/^stackferry-.*\.tgz$/)]);
    expect(stderr.split("\n").length).toBeLessThan(5);
  });

  it(
    "is the same, byte for byte, when it is made again",
    async () => {
      const again = join(temporaryFolder(), "release");
      await run(process.execPath, ["scripts/release.js", "--out", again], { cwd: root, maxBuffer: 2 ** 24 });
      expect(readFileSync(join(again, "SHA256SUMS"), "utf8")).toBe(read("SHA256SUMS"));
    },
    MAX_MS,
  );

  it("has the checksum of every file", () => {
    const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const sums = read("SHA256SUMS").trim().split("\n");
    expect(sums).toHaveLength(files.length - 1);
    for (const sum of sums) {
      const [digest, path = ""] = sum.split("  ");
      expect(
        createHash("sha256")
          .update(readFileSync(join(out, path)))
          .digest("hex"),
      ).toBe(digest);
    }
  });

  it(
    "installs from its tarball without the registry, and makes a first backup",
    async () => {
      const prefix = temporaryFolder();
      const words = ["install", "--global", "--prefix", prefix, "--cache", join(prefix, "cache"), join(out, tarball)];
      await run("npm", words, { cwd: prefix, env: bareEnvironment(prefix) });
      const program = join(prefix, "bin/stackferry");
      expect((await run(program, ["--version"])).stdout).toBe(
        `${tarball.replace("stackferry-", "").replace(".tgz", "")}\n`,
      );
      await firstBackup(program);

      const installed = join(prefix, "lib/node_modules/stackferry");
      const { packages } = JSON.parse(readFileSync(join(installed, "npm-shrinkwrap.json"), "utf8")) as {
        packages: Record<string, { version: string }>;
      };
      const folders = Object.keys(packages).filter((folder) => folder !== "");
      expect(folders.length).toBeLessThanOrEqual(MAX_PACKAGES);
      for (const folder of folders) {
        const meta: unknown = JSON.parse(readFileSync(join(installed, folder, "package.json"), "utf8"));
        expect([folder, meta]).toEqual([folder, expect.objectContaining({ version: packages[folder]?.version })]);
      }
      const { stdout } = await run("du", ["-s", "-B1", installed]);
      expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(MAX_INSTALLED_BYTES);
      expect(readdirSync(join(prefix, "share/man/man1"))).toContain("stackferry-backup.1");
    },
    MAX_MS,
  );

  it(
    "has a single executable that needs no Node, and makes a first backup",
    async () => {
      const folder = temporaryFolder();
      await mkdir(join(folder, "bin"));
      const program = join(out, executable);
      const { stdout } = await run(program, ["--version"], { env: { PATH: join(folder, "bin") } });
      expect(executable).toContain(`-${stdout.trim()}-`);
      await firstBackup(program);
    },
    MAX_MS,
  );

  it(
    "has an executable that starts in at most twice the time of the package",
    async () => {
      const millisecondsOf = async (program: string, ...words: string[]): Promise<number> => {
        const start = performance.now();
        await run(program, words);
        return performance.now() - start;
      };
      for (const words of [["--version"], ["import", "--help"]]) {
        const [one, other]: [number[], number[]] = [[], []];
        for (let round = 0; round < 7; round += 1) {
          one.push(await millisecondsOf(join(out, executable), ...words));
          other.push(await millisecondsOf(process.execPath, join(root, "bin/stackferry.js"), ...words));
        }
        expect(Math.min(...one) / Math.min(...other)).toBeLessThan(2);
      }
    },
    MAX_MS,
  );

  it("names each package inside, with its version and licence", () => {
    const sbomOf = (path: string): { bomFormat: string; components: { name: string; version: string }[] } =>
      JSON.parse(read(path)) as never;
    const sbom = sbomOf(tarball.replace(".tgz", ".cdx.json"));
    expect(sbom.bomFormat).toBe("CycloneDX");
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    expect(sbom.components.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    expect(sbom.components.length).toBeGreaterThan(90);
    const whole = sbomOf(`${executable}.cdx.json`).components.map(({ name }) => name);
    expect(whole).toEqual(expect.arrayContaining(["node", "zod", "@opentelemetry/sdk-metrics"]));
    expect(whole).not.toContain("vitest");
  });

  it("has a man page of each command, and completions of three shells", async () => {
    const pages = ["stackferry.1", ...commands.map(({ name }) => `stackferry-${name}.1`)];
    expect(readdirSync(join(out, "man")).toSorted()).toEqual(pages.toSorted());
    const page = read("man/stackferry-backup.1");
    expect(page).toContain('.SH "SYNOPSIS"\n\\fBstackferry backup [stack..]\\fR');
    expect(page).toContain(".TP\n\\fB\\-\\-keep\\-last\\fR \\fIvalue\\fR\n");
    // Roff would take a line that begins with a dot for a request, and bytes beyond ASCII for another character set.
    for (const name of pages) expect(read(`man/${name}`)).not.toMatch(/[^\n -~]|^\.(?!TH|SH|TP|nf|fi)/m);
    expect(readdirSync(join(out, "completions")).toSorted()).toEqual(
      ["bash", "fish", "zsh"].map((ending) => `stackferry.${ending}`),
    );
    await run("bash", ["-n", join(out, "completions/stackferry.bash")]);
  });

  it("has a container's build context that downloads nothing but its base image, which has a digest", () => {
    const lines = read("container/Dockerfile").split("\n");
    expect(lines.find((line) => line.startsWith("FROM "))).toMatch(/@sha256:[0-9a-f]{64}$/);
    expect(lines.find((line) => line.startsWith("RUN "))).toContain("--offline");
    expect(readdirSync(join(out, "container")).toSorted()).toEqual(["Dockerfile", tarball]);
  });

  it("leaves a folder alone that holds something", async () => {
    const failed = await run(process.execPath, ["scripts/release.js", "--out", out], { cwd: root }).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining("is not empty") });
  });
});
