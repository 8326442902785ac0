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

const bad = { variant: "self-hosted", baseUrl: "http://127.0.0.1:9" };

describe("a key file", () => {
  const key = "0123456789abcdef";
  it.each([
    ["with a byte-order mark", `\ufeff${key}`, /bad\.key, which begins with a byte-order mark/],
    ["in UTF-16 with one", Buffer.from(`\ufeff${key}`, "utf16le"), /bad\.key, which is in UTF-16/],
    ["in UTF-16 without one", Buffer.from(key, "utf16le"), /bad\.key, which is in UTF-16/],
    ["with two lines", `${key}\n${key}\n`, /stacks\.bad\.apiKey \(\$\{file:bad\.key\}\) holds white space/],
  ])("%s says so: stack, configuration and file are named", async (_, bytes, message) => {
    const stacks = { bad: { ...bad, apiKey: "${file:bad.key}" } };
    const { run } = await programIn({ "bad.key": bytes, "stackferry.yaml": JSON.stringify({ stacks }) });
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
      const stacks = { good, bad: { ...bad, apiKey } };
      const { run } = await programIn({ "odd.key": "a\nb", "stackferry.yaml": JSON.stringify({ stacks }) });
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
    const stacks = { good: { variant: "self-hosted", baseUrl: stack.url, apiKey: stack.apiKey } };
    const { cwd, run } = await programIn({ "stackferry.yaml": JSON.stringify({ stacks }) });
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
    const { run } = await programIn({ "stackferry.yaml": `stacks: { one: ${JSON.stringify(stack)} }` });
    const { code, message } = errorOf(await run("doctor one --json"));
    const said = expect.stringContaining(`"${member}" goes only with variant: ${variant}`) as string;
    expect([code, message]).toEqual(["config", said]);
  });

  it.each(["keyId", "keySecret"])(
    "says that half of a key is missing, beside a variable that is not set: %s",
    async (half) => {
      const stack = { ...managed, [half]: "${env:NOT_SET}" };
      const { run } = await programIn({ "stackferry.yaml": `stacks: { one: ${JSON.stringify(stack)} }` });
      for (const line of ["doctor one --json", "config check --json"]) {
        const { code, message } = errorOf(await run(line));
        const said = expect.stringMatching(/stacks\.one: keyId and keySecret go together/) as string;
        expect([code, message]).toEqual(["config", said]);
      }
    },
  );

  it("has no variable in the folder of the journals, which would be a folder of that name", async () => {
    const { run } = await programIn({ "stackferry.yaml": `journals: "\${env:CACHE}/journals"` });
    const { code, message } = errorOf(await run("config check --json"));
    expect([code, message]).toEqual(["config", expect.stringMatching(/journals: .* not filled in here/) as string]);
  });

  it("that is not in this folder is named with --config, the mistake in a cron job", async () => {
    const { cwd, run } = await programIn({});
    for (const line of ["export --from production --out a.zip --json", "doctor production --json"]) {
      const { code, message, hint } = errorOf(await run(line));
      expect(code).toBe("config");
      expect(message).toContain(`there is no stackferry.yaml in ${cwd}`);
      expect(hint).toContain("--config");
    }
  });
});

describe("a map file", () => {
  const wrong = `
sources: { Logs: Lgos }
webhooks: { pager: pagre, nobody: no }
dashboard: { One: Two }
`;

  it("has every wrong entry told at once, with what was meant", async () => {
    await using program = await programWithArchive();
    await writeFile(join(program.cwd, "map.yaml"), wrong);
    const run = await program.import("--map", "map.yaml", "--dry-run");
    const { code, message, faults } = errorOf(run);
    expect([code, message]).toEqual(["usage", "3 mistakes in the map file"]);
    expect(faults).toEqual([
      expect.stringMatching(/source "Lgos".*did you mean "Logs"\?/),
      expect.stringMatching(/webhook "pagre".*did you mean "pager"\?/),
      expect.stringMatching(/"dashboard".*did you mean "dashboards"\?/),
    ]);
  });

  it("has every line that is no name told at once, by line", async () => {
    await using program = await programWithArchive();
    await writeFile(
      join(program.cwd, "map.yaml"),
      "sources: { Logs: { id: x } }\nconnections:\n  Main: [x]\n  Other: { password: z }\n",
    );
    const { code, faults } = errorOf(await program.import("--map", "map.yaml", "--dry-run"));
    expect(code).toBe("config");
    expect(faults).toEqual([
      expect.stringMatching(/map\.yaml:1: sources\.Logs: /),
      expect.stringMatching(/map\.yaml:3: connections\.Main: /),
      expect.stringMatching(/map\.yaml:4: connections\.Other: /),
    ]);
  });
});
