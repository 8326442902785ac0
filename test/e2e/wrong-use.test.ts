import { mkdir, readFile, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startFakeServer } from "../support/fake-server.ts";
import { rawZip } from "../support/raw-zip.ts";
import { runCli, type CliRun } from "../support/run-cli.ts";
import { programForOneStack, type Program } from "../support/program.ts";

let program: Awaited<ReturnType<typeof programForOneStack>>;
let sandbox: Sandbox;
let cwd = "";
const run: Program["run"] = (command, options) => program.run(command, options);

beforeAll(async () => {
  program = await programForOneStack({ variant: "self-hosted", seed: "sample" });
  ({ stack: sandbox, cwd } = program);
  await run("export --from $STACK --out good.zip");
  await run("export --from $STACK --out newer --format folder");
  await makeWrongArchives(join(cwd, "good.zip"), join(cwd, "newer"));
});

afterAll(() => program[Symbol.asyncDispose]());

async function makeWrongArchives(good: string, newer: string): Promise<void> {
  const bytes = await readFile(good);
  await writeFile(join(cwd, "cut.zip"), bytes);
  await truncate(join(cwd, "cut.zip"), Math.floor(bytes.length / 2));
  const flipped = Buffer.from(bytes);
  // This position is in the data of the first entry, after the header of 30 bytes and the name.
  const position = 30 + bytes.readUInt16LE(26) + 20;
  flipped[position] = (flipped[position] ?? 0) ^ 1;
  await writeFile(join(cwd, "flipped.zip"), flipped);
  await writeFile(join(cwd, "empty.zip"), "");
  await writeFile(join(cwd, "text.zip"), "this is no archive");
  await writeFile(join(cwd, "foreign.zip"), rawZip([{ name: "hello.txt", content: "hello" }]));
  const manifest = join(newer, "manifest.json");
  const text = await readFile(manifest, "utf8");
  await writeFile(manifest, text.replace('"formatVersion": 1', '"formatVersion": 99'));
}

/** Expects one sentence and a hint on stderr, nothing on stdout, and no key. */
function expectRefusal({ exitCode, stdout, stderr }: CliRun, expected: number): void {
  expect({ exitCode, stdout }).toEqual({ exitCode: expected, stdout: "" });
  expect(stderr).toMatch(/^stackferry: .+$/m);
  expect(stderr).not.toContain("bug");
  expect(stderr).not.toContain(sandbox.apiKey ?? "-");
}

describe("a wrong command line or configuration (2)", () => {
  it.each([
    "inspect nowhere.zip",
    "doctor nobody",
    "doctor http://admin:hunter2@127.0.0.1:1",
    "doctor http://127.0.0.1:1 --config nowhere.yaml",
    "export --from http://127.0.0.1:1 --kinds dashbords",
  ])("%s", async (line) => {
    const refused = await run(line);
    expectRefusal(refused, 2);
    expect(refused.stderr).not.toContain("hunter2");
  });

  it("names a missing credential", async () => {
    const refused = await runCli(["export", "--from", sandbox.stack]);
    expectRefusal(refused, 2);
    expect(refused.stderr).toContain("STACKFERRY_FROM_API_KEY");
  });
});

describe("a folder or a name given instead of an archive is named as such (2)", () => {
  beforeAll(async () => {
    await run("export --from $STACK --out code --format code");
    await mkdir(join(cwd, "repo"));
    await writeFile(
      join(cwd, "stacks.yaml"),
      `stacks: { prod: { variant: self-hosted, baseUrl: "${sandbox.stack}" } }\nrepositories: { nightly: { url: repo } }\n`,
    );
    const env = { STACKFERRY_PROD_API_KEY: sandbox.apiKey ?? "", STACKFERRY_API_KEY: sandbox.apiKey ?? "" };
    expect(await run("backup prod --to repo --config stacks.yaml", { env })).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ["inspect repo", "repo is a repository of backups", "stackferry list repo"],
    ["verify ./repo/", "repository of backups", "stackferry list ./repo"],
    ["import repo --to $STACK --dry-run", "repository of backups", "stackferry list repo"],
    ["import code --to $STACK --dry-run", "code holds files", "stackferry apply code"],
    ["inspect prod --config stacks.yaml", "prod is a configured stack", "stackferry export --from prod"],
    ["import good.zip --to $STACK --create searches", "cannot be created on request", "did you mean saved-searches?"],
    ["restore good.zip --to $STACK", "a backup is named REPO/STACK", "take the file of an archive"],
    [
      "export --from good.zip --out x.zip --config stacks.yaml",
      'unknown stack "good.zip"',
      "the name of a configured stack or an address",
    ],
    ["rollback --to $STACK", "--run must name the run", "add --run NUMBER"],
  ])("%s", async (line, message, hint) => {
    const refused = await run(`${line} --quiet`);
    expectRefusal(refused, 2);
    expect(refused.stderr).toMatch(new RegExp(`${message}.*\n.*${hint.replace("?", "\\?")}`));
  });
});

describe("a file that cannot be written (1)", () => {
  it.each(["nowhere/a.zip", "nowhere/at/all.zip", "good.zip/below-a-file.zip"])(
    "refuses --out %s before any request to the stack",
    async (out) => {
      const before = sandbox.stats().total;
      expectRefusal(await run(`export --from $STACK --out ${out} --quiet`), 1);
      expect(sandbox.stats().total).toBe(before);
    },
  );
});

describe("a file that is no archive or a damaged one (4)", () => {
  it.each(["cut.zip", "flipped.zip", "newer", "foreign.zip", "empty.zip", "text.zip"])("%s", async (name) => {
    const refused = await run(`verify ${name} --quiet`);
    expectRefusal(refused, 4);
    expect(refused.stderr).toContain(name === "newer" ? "99" : name);
    const before = sandbox.stats().byRoute;
    expectRefusal(await run(`import ${name} --to $STACK --quiet`), 4);
    expect(sandbox.stats().byRoute).toEqual(before);
  });
});

describe("the exit code of a command whose server cannot be used", () => {
  it("is 5 for a wrong key", async () => {
    const key = "wrong-key-0123456789";
    const options = { env: { STACKFERRY_API_KEY: key, STACKFERRY_FROM_API_KEY: key } };
    const refused = await run("export --from $STACK --quiet", options);
    expectRefusal(refused, 5);
    expect(refused.stderr).not.toContain("wrong-key");
    const doctor = await program.json("doctor $STACK", options);
    expect(doctor).toMatchObject({ ok: false, exitCode: 5, stacks: [{ reachable: true, accepted: false }] });
  });

  it("is 6 for a dead host", async () => {
    const dead = await startFakeServer(() => {});
    await dead[Symbol.asyncDispose]();
    expectRefusal(await run(`export --from ${dead.url} --timeout 50ms --quiet`), 6);
    const doctor = await program.json(`doctor ${dead.url} --timeout 50ms`);
    expect(doctor).toMatchObject({ exitCode: 6, stacks: [{ reachable: false, accepted: false }] });
  });

  it("is 6 for a host that never answers", async () => {
    await using silent = await startFakeServer(() => {});
    expectRefusal(await run(`export --from ${silent.url} --timeout 50ms --quiet`), 6);
  });

  it("is 6 for a web page instead of an API", async () => {
    await using page = await startFakeServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Welcome</body></html>");
    });
    const refused = await run(`export --from ${page.url} --timeout 100ms --quiet`);
    expectRefusal(refused, 6);
    expect(refused.stderr).toContain("8000");
  });

  it.each([
    ["", { "content-type": "text/html" }],
    ["with a version", { "content-type": "text/html; charset=utf-8", etag: '"page"' }],
    ["of no type", {}],
  ])("is 6 for a web page instead of an object store %s", async (_, headers) => {
    await using page = await startFakeServer((request, response) => {
      request.resume();
      response.writeHead(200, headers).end("<html><body>Welcome</body></html>");
    });
    const store = {
      AWS_ENDPOINT_URL_S3: page.url,
      AWS_REGION: "r",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
    };
    const refused = await run("backup $STACK --to s3://backups/x --quiet", { env: { ...program.env, ...store } });
    expect(refused.exitCode).toBe(6);
    expect(refused.stderr).toContain("does not answer as an object store");
  });

  it("leaves no temporary archive behind", async () => {
    expect((await readdir(cwd)).filter((name) => /stackferry-|tmp/.test(name))).toEqual([]);
  });
});
