import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../support/start-sandbox.ts";
import { documentOf, runCli, type CliRun } from "../../support/run-cli.ts";
import { programWithArchive } from "../../support/program-with-archive.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const errorOf = (run: CliRun) =>
  documentOf(run)["error"] as { code: string; message: string; hint: string; faults?: string[] };

/** Writes files into a new folder, and returns a function that runs the program there. */
async function programIn(files: Readonly<Record<string, string | Buffer>>) {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text, { mode: 0o600 });
  const run = (line: string): Promise<CliRun> => runCli(line.split(" "), { cwd, env: { KEY: "the-key-of-a-stack" } });
  return { cwd, run };
}

/** Writes a configuration of these stacks, and other files, into a new folder. */
const programFor = (stacks: object, files: Parameters<typeof programIn>[0] = {}) =>
  programIn({ ...files, "stackferry.yaml": JSON.stringify({ stacks }) });

const bad = { variant: "self-hosted", baseUrl: "http://127.0.0.1:9" };

describe("a key file", () => {
  const key = "0123456789abcdef";
  it.each([
    ["with a byte-order mark", `\ufeff${key}`, /bad\.key, which begins with a byte-order mark/],
    ["in UTF-16 with one", Buffer.from(`\ufeff${key}`, "utf16le"), /bad\.key, which is in UTF-16/],
    ["in UTF-16 without one", Buffer.from(key, "utf16le"), /bad\.key, which is in UTF-16/],
    ["with two lines", `${key}\n${key}\n`, /stacks\.bad\.apiKey \(\$\{file:bad\.key\}\) holds white space/],
  ])("%s says so: stack, configuration and file are named", async (_, bytes, message) => {
    const { run } = await programFor({ bad: { ...bad, apiKey: "${file:bad.key}" } }, { "bad.key": bytes });
    const error = errorOf(await run("doctor bad --json"));
    expect(error).toMatchObject({ code: "config", message: expect.stringMatching(message) });
    expect(error.message).toMatch(/stackferry\.yaml: stacks\.bad\.apiKey/);
  });

  it.each([
    ["a passphrase", `export --from ${bad.baseUrl} --out b.zip --passphrase-file the.key`, "open sesame\n"],
    ["an identity", "inspect a.zip.age --identity the.key", "AGE-SECRET-KEY-1X\n"],
  ])("of an archive says so, too: %s", async (_, line, text) => {
    const files = { "the.key": `\ufeff${text}`, "a.zip.age": "age-encryption.org/v1\n" };
    const { cwd } = await programIn(files);
    const run = await runCli([...line.split(" "), "--json"], { cwd, env: { STACKFERRY_API_KEY: "x-key" } });
    const { code, message } = errorOf(run);
    expect([code, message]).toEqual(["config", expect.stringMatching(/the\.key begins with a byte-order mark/)]);
  });
});

describe("doctor", () => {
  it("examines a good stack, whatever is wrong with the settings of another", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "none" });
    const good = { variant: "self-hosted", baseUrl: stack.url, apiKey: stack.apiKey };
    for (const apiKey of ["${env:NONE}", "${file:none.key}", "${file:odd.key}"]) {
      const { run } = await programFor({ good, bad: { ...bad, apiKey } }, { "odd.key": "a\nb" });
      for (const names of ["good bad", "bad good", ""]) {
        const json = documentOf(await run(`doctor ${names} --json`.replace("  ", " ")));
        expect(json).toMatchObject({ exitCode: 2 });
        const found = json["stacks"] as { label: string; accepted: boolean; error?: { code: string } }[];
        const examined = found.map(({ label, accepted, error }) => `${label} ${accepted} ${error?.code ?? ""}`);
        expect(new Set(examined)).toEqual(new Set(["bad false config", "good true "]));
      }
      const { stdout } = await run("doctor good bad");
      expect(stdout).toMatch(/good .*\n✓ reachable, credential accepted\n/);
      expect(stdout).toMatch(/\nbad\n✗ .*stacks\.bad\.apiKey/);
    }
  });
});

describe("a file to write", () => {
  it.each([
    `export --from ${bad.baseUrl} --out -`,
    "report a.zip --out -",
    `import a.zip --to ${bad.baseUrl} --dry-run --draft-map -`,
    `migrate --from ${bad.baseUrl} --to ${bad.baseUrl} --keep-archive -`,
    "list place --metrics-file -",
    `import a.zip --to ${bad.baseUrl} --journals=-`,
  ])("that is called - is refused before anything is done: %s", async (line) => {
    const { cwd, run } = await programIn({});
    const result = await run(line);
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining("./-")]);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("may be called ./-", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "none" });
    const good = { variant: "self-hosted", baseUrl: stack.url, apiKey: stack.apiKey };
    const { cwd, run } = await programFor({ good });
    expect((await run("export --from good --out ./-")).exitCode).toBe(0);
    expect(existsSync(join(cwd, "-"))).toBe(true);
  });
});

describe("a configuration", () => {
  const managed = { variant: "managed", baseUrl: "https://x.test", organizationId: "o", serviceId: "s" };
  it.each([
    [{ ...managed, apiKey: "${env:KEY}" }, "apiKey", "self-hosted"],
    [{ ...bad, keyId: "${env:KEY}", keySecret: "${env:KEY}" }, "keyId", "managed"],
  ])("says which variant has a member that the other one lacks: %s", async (stack, member, variant) => {
    const { run } = await programFor({ one: stack });
    const message = expect.stringContaining(`"${member}" goes only with variant: ${variant}`);
    expect(errorOf(await run("doctor one --json"))).toMatchObject({ code: "config", message });
  });

  it.each(["keyId", "keySecret"])(
    "says that half of a key is missing, beside a variable that is not set: %s",
    async (half) => {
      const stack = { ...managed, [half]: "${env:NOT_SET}" };
      const { run } = await programFor({ one: stack });
      for (const line of ["doctor one --json", "config check --json"]) {
        const message = expect.stringContaining("stacks.one: keyId and keySecret go together");
        expect(errorOf(await run(line))).toMatchObject({ code: "config", message });
      }
    },
  );

  it("has no variable in the folder of the journals, which would be a folder of that name", async () => {
    const { run } = await programIn({ "stackferry.yaml": `journals: "\${env:CACHE}/journals"` });
    const message = expect.stringMatching(/journals: .* not filled in here/);
    expect(errorOf(await run("config check --json"))).toMatchObject({ code: "config", message });
  });

  it("that is not in this folder is named with --config, the mistake in a cron job", async () => {
    const { cwd, run } = await programIn({});
    for (const line of ["export --from production --out a.zip --json", "doctor production --json"]) {
      const message = expect.stringContaining(`there is no stackferry.yaml in ${cwd}`);
      const hint = expect.stringContaining("--config");
      expect(errorOf(await run(line))).toMatchObject({ code: "config", message, hint });
    }
  });
});

describe("a map file", () => {
  it.each([
    [
      "wrong entry",
      "sources: { Logs: Lgos }\nwebhooks: { pager: pagre, nobody: no }\ndashboard: { One: Two }\n",
      { code: "usage", message: "3 mistakes in the map file" },
      [
        /source "Lgos".*did you mean "Logs"\?/,
        /webhook "pagre".*did you mean "pager"\?/,
        /"dashboard".*did you mean "dashboards"\?/,
      ],
    ],
    [
      "line that is no name",
      "sources: { Logs: { id: x } }\nconnections:\n  Main: [x]\n  Other: { password: z }\n",
      { code: "config" },
      [/map\.yaml:1: sources\.Logs: /, /map\.yaml:3: connections\.Main: /, /map\.yaml:4: connections\.Other: /],
    ],
  ])("has every %s told at once", async (_, text, error, faults) => {
    await using program = await programWithArchive();
    await writeFile(join(program.cwd, "map.yaml"), text);
    const run = await program.import("--map", "map.yaml", "--dry-run");
    const expected = faults.map((fault) => expect.stringMatching(fault));
    expect(errorOf(run)).toMatchObject({ ...error, faults: expected });
  });
});
