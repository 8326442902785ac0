import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import {
  hoursLater,
  programWithBackups,
  oneDashboardStack,
  type ProgramWithBackups,
} from "../support/program-with-backups.ts";

let stack: Sandbox;
let fixture: ProgramWithBackups;

/** Backs up two stacks into one repository: `key-a.txt` opens the backup of stack a, and `key-b.txt` that of stack b. */
beforeAll(async () => {
  stack = await oneDashboardStack();
  fixture = await programWithBackups({ a: stack, b: stack });
  const write = (name: string, text: string) => writeFile(join(fixture.cwd, name), text, { mode: 0o600 });
  for (const name of ["a", "b"]) {
    const identity = await generateIdentity();
    await write(`key-${name}.txt`, identity);
    if (name === "a") await write("mistyped-a.txt", `${identity.slice(0, -1)}${identity.endsWith("Q") ? "P" : "Q"}`);
    const recipient = await identityToRecipient(identity);
    expect(await fixture.json(`backup ${name} --to place --recipient ${recipient}`, hoursLater(0))).toMatchObject({
      exitCode: 0,
    });
  }
  await write("other.txt", await generateIdentity());
  await write("words.txt", "words that open nothing");
  await write("signer.pub", "-----BEGIN PUBLIC KEY-----\n");
});

afterAll(() => stack.close());

const check = (flags: string, env: Record<string, string> = {}) =>
  fixture.json(`check place --newest ${flags}`, { ...hoursLater(1), env });

describe("check of encrypted backups", () => {
  it("says what it proved: with --quiet and without a key, once on stderr", async () => {
    const sealed = await fixture.run("check place --newest", hoursLater(1));
    expect(sealed.stdout).toMatch(/NEWEST GOOD\n.*\.age \(only checksum\)\n/);
    const quiet = await fixture.run("check place --newest --quiet", hoursLater(1));
    expect([quiet.exitCode, quiet.stdout]).toEqual([0, ""]);
    expect(quiet.stderr).toMatch(
      /^[^\n]*of 2 backups, such as \S+, at most the checksum was compared: [^\n]*--identity[^\n]*\n$/,
    );
    const opened = await fixture.run("check place --newest --identity key-a.txt --identity key-b.txt", hoursLater(1));
    expect(opened.stdout.match(/ \(decrypted\)/g)).toHaveLength(2);
    expect(await check("--identity key-a.txt")).toMatchObject({
      stacks: [{ proof: { read: "decrypted", isSigned: false } }, { proof: { read: "checksum", isSigned: false } }],
    });
  });

  it("compares their checksums if no key is given", async () => {
    expect(await check("")).toMatchObject({
      exitCode: 0,
      warnings: [{ code: "checksum-only" }],
      stacks: [{ proof: { read: "checksum" } }, { proof: { read: "checksum" } }],
    });
  });

  it("is fine with a key for each of them", async () => {
    const checked = await check("--identity key-a.txt --identity key-b.txt");
    const decrypted = { sealed: [], proof: { read: "decrypted" } };
    expect(checked).toMatchObject({ exitCode: 0, warnings: [], stacks: [decrypted, decrypted] });
  });

  it("ends with 4 if the given key opens the newest backup of one stack and not that of another", async () => {
    const checked = await check("--identity other.txt --identity key-a.txt");
    const sealed = ["b/20261121T041500Z.zip.age"];
    expect(checked).toMatchObject({
      exitCode: 4,
      stacks: [
        { proof: { read: "decrypted" }, sealed: [] },
        { proof: { read: "checksum" }, sealed },
      ],
    });
    const message = expect.stringMatching(/^no given key opens b\/\S+:/) as string;
    expect(checked["warnings"]).toEqual([{ code: "wrong-key", message }]);
  });

  it("mentions backups that are not the newest and that the given key does not open", async () => {
    const { cwd, run, json } = await programWithBackups({ a: stack });
    const recipients: string[] = [];
    for (const name of ["old", "new"]) {
      const identity = await generateIdentity();
      await writeFile(join(cwd, `${name}.txt`), identity, { mode: 0o600 });
      recipients.push(await identityToRecipient(identity));
    }
    const [old = "", recent = ""] = recipients;
    for (const hours of [0, 1]) await json(`backup a --to place --recipient ${old}`, hoursLater(hours));
    await json(`backup a --to place --recipient ${recent}`, hoursLater(2));
    await json("check place --stack a --newest --accept-suspect", hoursLater(2));
    const quiet = await run("check place --identity new.txt --quiet", hoursLater(3));
    expect([quiet.exitCode, quiet.stdout]).toEqual([0, ""]);
    expect(quiet.stderr).toMatch(/^[^\n]*no given key opens 2 backups, such as a\/\S+05\d+Z\.zip\.age:[^\n]*\n$/);
    expect(await json("check place --identity old.txt --identity new.txt", hoursLater(3))).toMatchObject({
      exitCode: 0,
      warnings: [],
    });
    expect(await json("check place --newest --identity new.txt", hoursLater(3))).toMatchObject({
      exitCode: 0,
      warnings: [],
    });
    expect(await json("check place --identity old.txt", hoursLater(3))).toMatchObject({ exitCode: 4 });
  });

  it.each([
    ["--identity other.txt", "--identity other.txt", {}],
    ["--passphrase-file words.txt", "--passphrase-file words.txt", {}],
    ["--stack b --identity key-a.txt", "--stack b --identity key-a.txt", {}],
    ["the environment", "", { STACKFERRY_IDENTITY_FILE: "other.txt" }],
  ])("ends with 4 if the key that %s gives opens none of them", async (_, flags, env) => {
    const checked = await check(flags, env);
    expect(checked).toMatchObject({ exitCode: 4, warnings: [{ code: "wrong-key" }] });
    const proof = { read: "checksum", isSigned: false };
    expect(checked["stacks"]).toContainEqual(expect.objectContaining({ damaged: [], proof }));
  });

  it("warns once of a key file that others can read, although it is tried on two backups", async () => {
    await chmod(join(fixture.cwd, "other.txt"), 0o644);
    expect(await check("--identity other.txt")).toMatchObject({
      warnings: [{ code: "open-permissions" }, { code: "wrong-key" }],
    });
    await chmod(join(fixture.cwd, "other.txt"), 0o600);
  });

  it.each(["--identity none.txt", "--identity signer.pub", "--identity mistyped-a.txt", "--passphrase-file none.txt"])(
    "ends with 2 if the file holds no key: %s",
    async (flags) => {
      expect(await check(flags)).toMatchObject({ exitCode: 2, error: { code: "config" } });
    },
  );
});

describe("check --restore-test", () => {
  it("fails for the stack whose backup no key opens, and goes on with the others", async () => {
    const results = [
      { stack: "a", ok: false, error: { code: "wrong-key" } },
      { stack: "b", ok: true },
    ];
    const checked = await check("--restore-test --identity key-b.txt");
    expect(checked).toMatchObject({ exitCode: 4, stacks: [{ stack: "a" }, { stack: "b" }], restoreTests: results });
    const { stdout } = await fixture.run("check place --newest --restore-test --identity key-b.txt", hoursLater(1));
    expect(stdout).toContain("a/20261121T041500Z.zip.age cannot be opened with any of the given keys");
    expect(stdout).toContain("b: restoring b/20261121T041500Z.zip.age onto a sandbox made 5 records");
    expect(stdout).not.toContain("1.zip.age");
  });

  it.each([
    ["", 2, "config"],
    ["--identity other.txt", 4, "wrong-key"],
  ])("has the exit code of the stacks if they all fail alike: %s", async (flags, exitCode, code) => {
    const failed = { ok: false, counts: {}, problems: [], error: { code } };
    expect(await check(`--restore-test ${flags}`)).toMatchObject({ exitCode, restoreTests: [failed, failed] });
  });
});

it("check of plain backups accepts a key that none of them needs", async () => {
  const { cwd, json } = await programWithBackups({ a: stack });
  await writeFile(join(cwd, "other.txt"), await generateIdentity(), { mode: 0o600 });
  await json("backup a --to place", hoursLater(0));
  expect(await json("check place --identity other.txt", hoursLater(1))).toMatchObject({ exitCode: 0, warnings: [] });
  const env = { STACKFERRY_IDENTITY_FILE: "/nowhere", STACKFERRY_PASSPHRASE: "" };
  expect(await json("check place", { ...hoursLater(1), env })).toMatchObject({ exitCode: 0, warnings: [] });
});
