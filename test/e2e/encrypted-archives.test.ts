import { generateKeyPairSync } from "node:crypto";
import { EventEmitter } from "node:events";
import { copyFile, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { oneDashboardSeed } from "../support/program-with-backups.ts";
import { cheapPassphrases } from "../support/cheap-passphrases.ts";
import { documentOf, type CliRun } from "../support/run-cli.ts";
import { programForTwoStacks, type ProgramForTwoStacks } from "../support/program.ts";
import { emptySeed } from "../support/program-with-archive.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PASSPHRASE = "seven words that nobody would ever guess";
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const stranger = generateKeyPairSync("ed25519");
let stacks: ProgramForTwoStacks;
let cwd = "";
let identity = "";
let recipient = "";

beforeAll(async () => {
  stacks = await programForTwoStacks(
    { variant: "self-hosted", seed: oneDashboardSeed },
    { variant: "self-hosted", seed: emptySeed("b") },
  );
  ({ cwd } = stacks);
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
  const write = (name: string, text: string): Promise<void> => writeFile(join(cwd, name), text, { mode: 0o600 });
  await write("key.txt", `# a comment\n${identity}\n`);
  await write("other.txt", `${await generateX25519Identity()}\n`);
  await write("words.txt", `${PASSPHRASE}\n`);
  await write("signing.key", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  await write("signer.pub", publicKey.export({ type: "spki", format: "pem" }).toString());
  await write("stranger.pub", stranger.publicKey.export({ type: "spki", format: "pem" }).toString());
  const made = await json(`${EXPORT} a.zip --recipient ${recipient} --sign signing.key`);
  expect(made).toMatchObject({ exitCode: 0, archive: { path: join(cwd, "a.zip.age") } });
});

afterAll(() => stacks[Symbol.asyncDispose]());

const EXPORT = "export --from $FROM --out";
const IMPORT = "import a.zip.age --to $TO --identity key.txt";

/** Runs a command with more environment variables, and expects that it prints no key. */
async function run(command: string, more: Record<string, string> = {}): Promise<CliRun> {
  const result = await stacks.run(command, { env: more });
  for (const secret of [identity, PASSPHRASE]) expect(result.stdout + result.stderr).not.toContain(secret);
  return result;
}

const json = async (command: string, more: Record<string, string> = {}) =>
  documentOf(await run(`${command} --json`, more));

describe("an archive for the holder of an age key", () => {
  it.each(["inspect", "verify"])("is opened by %s with --identity, or the environment", async (command) => {
    for (const flags of ["--identity key.txt", "--identity other.txt --identity key.txt"]) {
      expect((await run(`${command} a.zip.age ${flags}`)).exitCode).toBe(0);
    }
    expect((await run(`${command} a.zip.age`, { STACKFERRY_IDENTITY_FILE: "key.txt" })).exitCode).toBe(0);
  });

  it("is imported, and can seed a sandbox", async () => {
    expect(await json(IMPORT)).toMatchObject({ ok: true, archive: { path: join(cwd, "a.zip.age") } });
    const signals = new EventEmitter();
    const onStdout = (): boolean => signals.emit("signal", "SIGINT");
    const seeded = "sandbox --variant self-hosted --seed a.zip.age --identity key.txt --json";
    expect((await stacks.run(seeded, { signals, onStdout })).exitCode).toBe(0);
  });

  it("is a usage error without a key (2), and damage with the wrong one or a byte changed (4)", async () => {
    expect(await run("inspect a.zip.age")).toMatchObject({ exitCode: 2, stdout: "" });
    expect(await run("inspect a.zip.age --identity other.txt")).toMatchObject({ exitCode: 4, stdout: "" });
    const bytes = await readFile(join(cwd, "a.zip.age"));
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
    await writeFile(join(cwd, "flipped.zip.age"), bytes);
    const before = stacks.to.stats().total;
    for (const command of ["verify", "inspect", "import --to $TO"]) {
      const refused = await run(`${command} flipped.zip.age --identity key.txt`);
      expect(refused).toMatchObject({ exitCode: 4, stdout: "" });
    }
    expect(stacks.to.stats().total).toBe(before);
  });

  it("leaves nothing in the folder or in the temporary folder", async () => {
    const own = temporaryFolder();
    vi.stubEnv("TMPDIR", own);
    try {
      await run("verify a.zip.age --identity key.txt");
      await run("verify flipped.zip.age --identity key.txt");
    } finally {
      vi.unstubAllEnvs();
    }
    expect(await readdir(own)).toEqual([]);
    // The folder of the locks stays after the first import.
    expect((await readdir(cwd)).filter((name) => name.startsWith("."))).toEqual([".stackferry"]);
    expect((await stat(join(cwd, "a.zip.age"))).mode & 0o777).toBe(0o600);
  });
});

describe("an archive under a passphrase", () => {
  it("is written and read with a file or the environment", async () => {
    using _ = cheapPassphrases();
    const made = await json(`${EXPORT} words.zip.age --passphrase-file words.txt --kinds sources`);
    expect(made).toMatchObject({ exitCode: 0, archive: { path: join(cwd, "words.zip.age") } });
    expect((await run("verify words.zip.age", { STACKFERRY_PASSPHRASE: PASSPHRASE })).exitCode).toBe(0);
    expect(await run("verify words.zip.age")).toMatchObject({ exitCode: 2 });
  }, 60_000);

  it("is taken without the line break at the end of the variable", async () => {
    using _ = cheapPassphrases();
    const env = { STACKFERRY_PASSPHRASE: `${PASSPHRASE}\n` };
    expect((await run(`${EXPORT} variable.zip.age --kinds sources`, env)).exitCode).toBe(0);
    expect((await run("verify variable.zip.age --passphrase-file words.txt")).exitCode).toBe(0);
  }, 60_000);

  it("encrypts the archive that a migration leaves behind", async () => {
    using _ = cheapPassphrases();
    const line = "migrate --from $FROM --to $TO --keep-archive kept.zip --dry-run";
    const moved = await json(line, { STACKFERRY_PASSPHRASE: PASSPHRASE });
    expect(moved).toMatchObject({ archive: { path: join(cwd, "kept.zip.age") } });
    expect(await readdir(cwd)).not.toContain("kept.zip");
    expect((await readFile(join(cwd, "kept.zip.age"), "latin1")).startsWith("age-encryption.org/v1\n")).toBe(true);
  }, 60_000);
});

describe("an export is refused (2) before any request to the stack", () => {
  it.each([
    "--recipient AGE-SECRET-KEY-1SECRET",
    "--recipient age1nonsense",
    "--recipient RECIPIENT --passphrase-file words.txt",
    "--recipient RECIPIENT --format folder",
    "--passphrase-file none.txt",
    "--sign signer.pub",
    "--sign none.key",
  ])("with the unusable key of %s", async (flags) => {
    const { total } = stacks.from.stats();
    const refused = await run(`${EXPORT} refused.zip ${flags.replace("RECIPIENT", recipient)}`);
    expect(refused.exitCode).toBe(2);
    expect(refused.stdout + refused.stderr).not.toContain("1SECRET");
    expect(stacks.from.stats().total).toBe(total);
    expect((await readdir(cwd)).filter((name) => name.includes("refused"))).toEqual([]);
  });

  it("with an empty passphrase in the environment, or one for a folder: nothing is stored in clear", async () => {
    await mkdir(join(cwd, "place"));
    expect(await json(`${EXPORT} refused.zip`, { STACKFERRY_PASSPHRASE: "\n" })).toMatchObject({ exitCode: 2 });
    const folder = await run(`${EXPORT} refused --format folder`, { STACKFERRY_PASSPHRASE: PASSPHRASE });
    expect(folder.exitCode).toBe(2);
    const empty = { STACKFERRY_PASSPHRASE: "" };
    for (const command of [`${EXPORT} refused.zip`, "backup $FROM --to place", "verify a.zip.age --identity key.txt"]) {
      const refused = await json(command, empty);
      expect(refused).toMatchObject({ exitCode: 2, error: { code: "config" } });
    }
    expect(await readdir(join(cwd, "place"))).toEqual([]);
    expect((await readdir(cwd)).filter((name) => name.includes("refused"))).toEqual([]);
  });

  it("without a key under the name of an encrypted archive, which would be plain and could not be read", async () => {
    const before = await readFile(join(cwd, "a.zip.age"));
    const { total } = stacks.from.stats();
    for (const line of [`${EXPORT} a.zip.age`, "migrate --from $FROM --to $TO --keep-archive a.zip.age --dry-run"]) {
      expect(await json(line)).toMatchObject({ exitCode: 2, error: { code: "usage" } });
    }
    expect([await readFile(join(cwd, "a.zip.age")), stacks.from.stats().total]).toEqual([before, total]);
    expect(await json(`${EXPORT} code.age --format code`)).toMatchObject({ exitCode: 0 });
  });

  it("over a folder of its name", async () => {
    await mkdir(join(cwd, "folder.age"));
    const { exitCode, error } = await json(`${EXPORT} folder.age --recipient ${recipient}`);
    expect([exitCode, error]).toMatchObject([2, { code: "usage", message: expect.stringContaining("is a folder") }]);
  });

  it("warns of a key file that others can read", async () => {
    await writeFile(join(cwd, "open.txt"), `${identity}\n`, { mode: 0o644 });
    const read = await json("verify a.zip.age --identity open.txt");
    expect(read).toMatchObject({ exitCode: 0, warnings: [{ code: "open-permissions" }] });
  });
});

it("a signature proves who made an archive, before anything is imported", async () => {
  const verified = (name: string, signer = "") => json(`verify ${name} --identity key.txt ${signer}`);
  const good = await verified("a.zip.age", "--signer signer.pub");
  expect(good).toMatchObject({ exitCode: 0, signedBy: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  expect(await verified("a.zip.age", "--signer stranger.pub")).toMatchObject({ exitCode: 4 });
  expect(await verified("a.zip.age", "--signer signing.key")).toMatchObject({ exitCode: 2 });
  await copyFile(join(cwd, "a.zip.age"), join(cwd, "unsigned.zip.age"));
  expect(await verified("unsigned.zip.age", "--signer signer.pub")).toMatchObject({ exitCode: 4 });
  expect(await verified("unsigned.zip.age")).toMatchObject({ exitCode: 0 });
  const { total } = stacks.to.stats();
  expect((await run(`${IMPORT} --dry-run --signer stranger.pub`)).exitCode).toBe(4);
  expect(stacks.to.stats().total).toBe(total);
  expect((await run(`${IMPORT} --dry-run --signer signer.pub`)).exitCode).toBe(0);
  const apply = IMPORT.replace("import", "apply");
  expect((await run(`${apply} --dry-run --signer stranger.pub`)).exitCode).toBe(4);
  expect((await run(`${apply} --dry-run --signer signer.pub`)).exitCode).toBe(0);
  await mkdir(join(cwd, "code"));
  await writeFile(join(cwd, "code", "a.yaml"), "name: A\n");
  expect((await run("apply code --to $TO --dry-run --signer signer.pub")).exitCode).toBe(2);
});
