import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox, type SandboxOptions } from "../support/start-sandbox.ts";
import { root } from "../support/documents.ts";
import { programFor } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Starts a stack, and prepares a folder in which the program runs with only these environment variables. */
async function stage(
  options: SandboxOptions = { variant: "self-hosted" },
  envOf: (sandbox: Sandbox) => object = keyOf,
) {
  const sandbox = await startSandbox(options);
  const program = programFor({ STACK: sandbox, URL: { ...sandbox, stack: sandbox.url } }, { ...envOf(sandbox) });
  const written = (): Promise<string> => readFile(join(program.cwd, "stackferry.yaml"), "utf8");
  return {
    ...program,
    sandbox,
    written,
    ask: (answers: readonly string[], flags = "") =>
      program.run(`init ${flags}`, { terminal: { columns: 80, answers } }),
    /** Expects that the configuration file works unchanged, is private and holds no key. */
    expectUsable: async (): Promise<void> => {
      expect(await written()).not.toContain(sandbox.apiKey ?? sandbox.keySecret);
      if (process.platform !== "win32") {
        expect((await stat(join(program.cwd, "stackferry.yaml"))).mode & 0o777).toBe(0o600);
      }
      expect(await program.json("doctor")).toMatchObject({ exitCode: 0, warnings: [] });
    },
  };
}

const keyOf = ({ apiKey = "" }: Sandbox) => ({ KEY: apiKey });
const FLAGS = "init --url $URL";

describe("init on a terminal", () => {
  it("asks for a self-hosted stack, repeats a question after a bad answer, tries the stack and writes the file", async () => {
    await using made = await stage();
    const { sandbox, ask, written } = made;
    const wrong = ["an office", ""];
    const run = await ask([...wrong, "localhost", sandbox.url, sandbox.apiKey ?? "", "NO_SUCH", "KEY"]);
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("backup production --to FOLDER") });
    expect(await written()).toContain(`apiKey: "\${env:KEY}"`);
    expect(run.stderr).toContain("NO_SUCH is not set");
    expect(run.stderr + run.stdout).not.toContain(sandbox.apiKey);
    await made.expectUsable();
  });

  it("takes the ids of a managed stack from its address, and finds a key in a file", async () => {
    await using made = await stage({ variant: "managed", seed: "sample" }, ({ keyId }) => ({ CLOUD_ID: keyId }));
    const { sandbox, cwd, ask, written } = made;
    const { stack, keySecret = "" } = sandbox;
    await mkdir(join(cwd, "secrets"));
    await writeFile(join(cwd, "secrets", "key"), `${keySecret}\n`, { mode: 0o600 });
    const run = await ask(["cloud", stack, "env:CLOUD_ID", "file:secrets/key"]);
    expect(run).toMatchObject({ exitCode: 0 });
    expect(await written()).toContain(`keySecret: "\${file:secrets/key}"`);
    await made.expectUsable();
  });

  it("needs no flag but the name and the address if the variables are the usual ones", async () => {
    await using made = await stage({ variant: "managed", seed: "sample" }, ({ keyId = "", keySecret = "" }) => ({
      STACKFERRY_KEY_ID: keyId,
      STACKFERRY_KEY_SECRET: keySecret,
    }));
    expect(await made.run(`init --name cloud --url ${made.sandbox.stack}`)).toMatchObject({ exitCode: 0 });
    await made.expectUsable();
  });

  it("ends with 130 if nobody answers, and does not ask for the values of flags", async () => {
    await using made = await stage();
    const run = await made.ask([], "--name a");
    expect(run).toMatchObject({ exitCode: 130, stdout: "" });
    expect(run.stderr).not.toContain("Name of the stack");
    expect(await readdir(made.cwd)).toEqual([]);
  });
});

it("several runs of init at the same time write one new file, and the others are refused", async () => {
  await using made = await stage();
  const names = ["one", "two", "three", "four"];
  const runs = await Promise.all(names.map((name) => made.run(`${FLAGS} --api-key-from env:KEY --name ${name}`)));
  const added = names.filter((_, index) => runs[index]?.exitCode === 0);
  const text = await made.written();
  expect(names.filter((name) => text.includes(` ${name}:`))).toEqual(added);
  expect(added).toHaveLength(1);
  expect(await readdir(made.cwd)).toEqual(["stackferry.yaml"]);
});

describe("init on a real terminal", () => {
  it("ends at the first Ctrl-C, while it asks", async () => {
    // The command `script` gives the program a terminal, and passes on what is typed.
    const line = `"${process.execPath}" "${join(root, "bin/stackferry.js")}" init`;
    const terminal = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
      cwd: temporaryFolder(),
    });
    const closed = once(terminal, "close");
    let shown = "";
    for await (const chunk of terminal.stdout) {
      const asksAlready = shown.includes("Name of the stack");
      shown += String(chunk);
      if (!asksAlready && shown.includes("Name of the stack")) terminal.stdin.write("\u0003");
    }
    expect(shown).toContain("stopped at a question");
    expect(await closed).toEqual([130, null]);
  });
});

describe("init with a configuration", () => {
  it("adds a stack to it", async () => {
    await using made = await stage();
    const { run, json, written } = made;
    const line = `${FLAGS} --api-key-from env:KEY`;
    expect(await run(line)).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining("same") });
    expect(await json(`${line} --name staging`)).toMatchObject({ exitCode: 0 });
    expect(await written()).toMatch(/production"?:[\s\S]*staging"?:/);
  });
});

it("init writes the file that a link leads to, and leaves the link", async () => {
  await using made = await stage();
  const { cwd, run } = made;
  const line = `${FLAGS} --api-key-from env:KEY`;
  await mkdir(join(cwd, "shared"));
  expect((await run(`${line} --out shared/stacks.yaml`)).exitCode).toBe(0);
  await symlink("shared/stacks.yaml", join(cwd, "stackferry.yaml"));
  expect((await run(`${line} --name staging`)).exitCode).toBe(0);
  expect(await readlink(join(cwd, "stackferry.yaml"))).toBe("shared/stacks.yaml");
  expect(await readFile(join(cwd, "shared/stacks.yaml"), "utf8")).toMatch(/production"?:[\s\S]*staging"?:/);
});

describe("init without a terminal", () => {
  it("accepts flags, names the missing one, and writes the file of --out, or else of --config", async () => {
    await using made = await stage();
    const { cwd, run, json } = made;
    await mkdir(join(cwd, "etc"));
    const line = `${FLAGS} --out etc/stacks.yaml --name lab`;
    expect(await run(line)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--api-key-from is missing"),
    });
    expect(await json(`${line} --api-key-from env:KEY`)).toMatchObject({
      exitCode: 0,
      config: join(cwd, "etc/stacks.yaml"),
      stack: { label: "lab" },
    });
    expect((await run("config check --config etc/stacks.yaml")).exitCode).toBe(0);
    const other = `${FLAGS} --api-key-from env:KEY --config other.yaml`;
    expect(await json(other)).toMatchObject({ exitCode: 0, config: join(cwd, "other.yaml") });
    expect(await readdir(cwd)).toEqual(["etc", "other.yaml"]);
    expect((await run("doctor production --config other.yaml")).exitCode).toBe(0);
    expect(await json(`${other} --out third.yaml`)).toMatchObject({ exitCode: 0, config: join(cwd, "third.yaml") });
  });

  it("adds a second stack, and keeps the others, the comments and the mode of the file", async () => {
    // Without a named variable, `init` takes the one that a sandbox prints.
    await using made = await stage({ variant: "self-hosted" }, ({ apiKey }) => ({ STACKFERRY_API_KEY: apiKey }));
    const { cwd, run, written } = made;
    const before =
      "# ours\nstacks:\n  first: # the old one\n    variant: self-hosted\n    baseUrl: http://localhost:8000\n";
    await writeFile(join(cwd, "stackferry.yaml"), before, { mode: 0o640 });
    expect((await run(`${FLAGS} --name first`)).exitCode).toBe(2);
    expect(await written()).toBe(before);
    expect((await run(`${FLAGS} --name second`)).exitCode).toBe(0);
    expect(await written()).toMatch(/^# ours\nstacks:\n {2}first:\s+# the old one\n {4}variant: self-hosted\n/);
    expect((await stat(join(cwd, "stackferry.yaml"))).mode & 0o777).toBe(0o640);
    expect((await run("doctor second")).exitCode).toBe(0);
  });

  it("does not overwrite a file that is not a configuration", async () => {
    await using made = await stage();
    await writeFile(join(made.cwd, "stackferry.yaml"), "some: notes\n");
    expect((await made.run("init")).exitCode).toBe(2);
    expect(await made.written()).toBe("some: notes\n");
  });

  it.each([
    ["a wrong key", 5, "--url $URL --api-key-from env:WRONG"],
    ["a path too many", 6, "--url $URL/api --api-key-from env:KEY"],
    ["an address with a password", 2, "--url http://admin:hunter2@localhost:1 --api-key-from env:KEY"],
    ["plain http beyond this machine", 2, "--url http://stack.example.com --api-key-from env:KEY"],
    ["a key in place of its place", 2, "--url $URL --api-key-from 0123456789abcdef"],
    ["a variable that is not set", 2, "--url $URL --api-key-from env:NO_SUCH"],
    ["a file that is not there", 2, "--url $URL --api-key-from file:nowhere"],
    ["the address of a managed stack", 2, "--url https://h/v1/organizations/o/services/s"],
  ])("writes nothing with %s", async (_, exitCode, flags) => {
    const variables = (sandbox: Sandbox) => ({ ...keyOf(sandbox), WRONG: "wrong-key-of-a-test" });
    await using made = await stage({ variant: "self-hosted" }, variables);
    const run = await made.run(`init ${flags}`);
    expect(run).toMatchObject({ exitCode, stdout: "" });
    expect(run.stderr).not.toMatch(/hunter2|0123456789abcdef|wrong-key|[.];/);
    expect(await readdir(made.cwd)).toEqual([]);
  });
});
