import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/program/commands.ts";
import { COMPLETE_WORD } from "../../src/cli/program/flags.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { programFor, type Program } from "../support/program.ts";

/** Prepares a folder with a configuration file of this text, in which the program runs. */
async function configured(text: string, env: Readonly<Record<string, string>> = { GOOD_KEY: "key-of-a-test" }) {
  const program = programFor({}, env);
  await writeFile(join(program.cwd, "stackferry.yaml"), text, { mode: 0o600 });
  return program;
}

let program: Program;

beforeAll(async () => {
  program = await configured(`
repositories:
  offsite: { url: "s3://backups/stacks", accessKeyId: "\${env:GOOD_KEY}", secretAccessKey: "\${env:NO_SUCH}" }
stacks:
  good: &here { variant: self-hosted, baseUrl: "http://localhost:8000", apiKey: "\${env:GOOD_KEY}" }
  again: { <<: *here }
  lost: { <<: *here, apiKey: "\${file:nowhere}" }
  plain: { variant: self-hosted, baseUrl: "http://elsewhere.example.com:8000", apiKey: "\${env:GOOD_KEY}" }
`);
});

describe("config check", () => {
  it("reports without a request whether each stack can be used, with the mistakes below the table", async () => {
    const run = await program.run("config check --json");
    expect(documentOf(run)).toMatchObject({
      exitCode: 2,
      stacks: [
        { name: "good", ok: true, variant: "self-hosted", baseUrl: "http://localhost:8000" },
        { name: "again", ok: true },
        { name: "lost", ok: false, error: { code: "config", message: expect.stringContaining("nowhere") } },
        { name: "plain", ok: false, error: { code: "config", message: expect.stringContaining("plain http") } },
      ],
      repositories: [{ name: "offsite", ok: false, error: { message: expect.stringContaining("NO_SUCH") } }],
      requests: { total: 0 },
    });
    const text = await program.run("config check");
    expect(text.exitCode).toBe(2);
    expect(text.stdout).toMatch(/^good +self-hosted +http:\/\/localhost:8000 +✓/m);
    expect(text.stdout).toMatch(/^✗ lost: /m);
    for (const each of [run, text]) expect(each.stdout + each.stderr).not.toContain("key-of-a-test");
  });

  it("refuses keys with which no backup could be made, and a managed stack's path in baseUrl", async () => {
    const { json } = await configured(`
repositories:
  locked: { url: places, recipients: [age1abc] }
  signed: { url: places, sign: nofile.key }
stacks:
  path: { variant: managed, baseUrl: "https://host/v1/organizations/o/services/s", organizationId: o, serviceId: s }
`);
    const unusable = (name: string) => ({ name, ok: false });
    const repositories = [unusable("locked"), unusable("signed")];
    expect(await json("config check")).toMatchObject({ exitCode: 2, stacks: [unusable("path")], repositories });
    expect(await json("doctor locked signed")).toMatchObject({ exitCode: 2, repositories });
    expect(await json("config check --passphrase-file any")).toMatchObject({ exitCode: 2, repositories });
  });

  it("refuses the ${NAME} of other programs in every member", async () => {
    const { json } = await configured(`
repositories:
  store: { url: "s3://\${BUCKET}/stacks" }
stacks:
  key: { variant: self-hosted, baseUrl: "http://localhost:1", apiKey: "\${MY_KEY}" }
  host: { variant: self-hosted, baseUrl: "http://\${HOST}:1", apiKey: "\${env:GOOD_KEY}" }
`);
    const refused = { error: { code: "config", hint: expect.stringContaining("${env:NAME}") } };
    expect(await json("config check")).toMatchObject({
      exitCode: 2,
      stacks: [refused, refused],
      repositories: [refused],
    });
  });

  it("accepts a valid file, and requires a file", async () => {
    const text = "stacks: { a: { variant: self-hosted, baseUrl: 'http://localhost:1' } }\n";
    const sound = await configured(text, { STACKFERRY_API_KEY: "k" });
    expect((await sound.run("config check")).exitCode).toBe(0);
    expect(await programFor().json("config check")).toMatchObject({ exitCode: 2, error: { code: "config" } });
  });
});

it("config schema prints the schema", async () => {
  const { exitCode, stdout } = await program.run("config schema");
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ title: "stackferry.yaml", properties: { stacks: {}, defaults: {} } });
});

describe("completion", () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const { exitCode, stdout, stderr } = await runCli([COMPLETE_WORD, ...words], program);
    expect([exitCode, stderr]).toEqual([0, ""]);
    return stdout.split("\n").slice(0, -1);
  };

  it("completes commands, options and their values", async () => {
    expect(await complete("")).toEqual(commands.map(({ name }) => name));
    expect(await complete("exp")).toEqual(["export"]);
    expect(await complete("export", "--fr")).toEqual(["--from"]);
    expect(await complete("export", "--format", "")).toEqual(["zip", "folder", "code"]);
    expect(await complete("config", "")).toEqual(["check", "schema"]);
    expect(await complete("export", "--out", "")).toEqual([]);
    expect(await complete("import", "")).toEqual([]);
  });

  it("prints a script that bash reads and that asks the program", async () => {
    const { exitCode, stdout } = await program.run("completion bash");
    expect(exitCode).toBe(0);
    const stub = `stackferry() { printf '%s\\n' one-of-"$#" two; }\n`;
    const ask = `COMP_WORDS=(stackferry export --fr); COMP_CWORD=2; _stackferry; printf '%s,' "\${COMPREPLY[@]}"`;
    const answer = await promisify(execFile)("bash", ["-c", `${stub}${stdout}\n${ask}`]);
    expect(answer.stdout).toBe("one-of-3,two,");
  });

  it.each(["zsh", "fish"])("prints a script for %s", async (shell) => {
    const { exitCode, stdout } = await program.run(`completion ${shell}`);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`stackferry ${COMPLETE_WORD}`)]);
  });
});
