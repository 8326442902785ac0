import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateKeyPairSync } from "node:crypto";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { expect, it } from "vitest";
import { cheapPassphrases } from "../support/cheap-passphrases.ts";
import { hoursLater, programWithBackups, oneDashboardStack } from "../support/program-with-backups.ts";

it("recipients, sign and keep of a repository hold for every run, by its name and by its folder", async () => {
  await using production = await oneDashboardStack();
  const recipient = await identityToRecipient(await generateIdentity());
  const { privateKey } = generateKeyPairSync("ed25519");
  const settings = `    recipients: ["${recipient}"]\n    sign: signing.key\n    keep: { last: 2, within: 1h }\n`;
  const fixture = await programWithBackups({ production }, `repositories:\n  safe:\n    url: place\n${settings}`);
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  await writeFile(join(fixture.cwd, "signing.key"), pem, { mode: 0o600 });
  const stored = async (): Promise<string[]> => (await readdir(join(fixture.repository, "production"))).toSorted();
  for (const [hours, to] of [
    [0, "safe"],
    [1, "place"],
    [2, fixture.repository],
  ] as const) {
    expect(await fixture.json(`backup production --to ${to}`, hoursLater(hours))).toMatchObject({ exitCode: 0 });
  }
  expect(await stored()).toEqual([
    // The three are equal, so they count once, and the oldest stays while there are fewer than two.
    "20261121T041500Z.json",
    "20261121T041500Z.zip.age",
    "20261121T041500Z.zip.age.sig",
    "20261121T061500Z.json",
    "20261121T061500Z.zip.age",
    "20261121T061500Z.zip.age.sig",
    "good",
  ]);
  expect(await fixture.json("prune safe --dry-run", hoursLater(2))).toMatchObject({ archives: [{}, {}] });
  expect(await fixture.json("backup production --to safe --keep-last 1", hoursLater(3))).toMatchObject({ exitCode: 0 });
  expect((await stored()).filter((name) => name.endsWith(".age"))).toEqual(["20261121T071500Z.zip.age"]);
});

it("a backup says that it encrypts and signs", async () => {
  await using production = await oneDashboardStack();
  const { cwd, run, json } = await programWithBackups({ production });
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  await writeFile(join(cwd, "signing.key"), pem, { mode: 0o600 });
  expect((await run("backup production --to place", hoursLater(0))).stdout).toMatch(/^1 of 1 backed up to \S+\n/m);
  const line = `backup production --to place --recipient ${await identityToRecipient(await generateIdentity())}`;
  const { stdout } = await run(`${line} --sign signing.key`, hoursLater(1));
  expect(stdout).toMatch(/^1 of 1 backed up to \S+, encrypted for 1 recipient and signed\n/m);
  expect(await json(line, hoursLater(2))).toMatchObject({ encrypted: true, signed: false });
});

it("without --plain-text, no plain backup joins encrypted ones, not even as the first backup of another stack", async () => {
  await using production = await oneDashboardStack();
  await using other = await oneDashboardStack();
  const { json, repository } = await programWithBackups({ production, other });
  const recipient = await identityToRecipient(await generateIdentity());
  expect(await json(`backup production --to place --recipient ${recipient}`, hoursLater(0))).toMatchObject({
    exitCode: 0,
  });
  for (const stack of ["production", "other"]) {
    expect(await json(`backup ${stack} --to place`, hoursLater(1))).toMatchObject({
      exitCode: 2,
      error: { code: "usage" },
    });
  }
  expect((await readdir(join(repository, "production"))).filter((name) => name.endsWith(".zip"))).toEqual([]);
  expect(await json("backup production --to place --plain-text", hoursLater(2))).toMatchObject({ exitCode: 0 });
  expect(await json("backup production --to place", hoursLater(3))).toMatchObject({ exitCode: 0 });
  expect(await json(`backup production --to place --plain-text --recipient ${recipient}`)).toMatchObject({
    exitCode: 2,
  });
});

it("an invalid rule is refused with its place in the file", async () => {
  const { cwd, run, json } = await programWithBackups(
    {},
    "repositories:\n  safe:\n    url: place\n    keep: { within: later }\n",
  );
  const refused = await run("prune safe --dry-run");
  expect([refused.exitCode, refused.stderr.includes("repositories.safe.keep.within")]).toEqual([2, true]);
  const text = await readFile(join(cwd, "stackferry.yaml"), "utf8");
  await writeFile(join(cwd, "stackferry.yaml"), text.replace("    keep: { within: later }\n", ""));
  expect(await json("prune safe --dry-run")).toMatchObject({ exitCode: 2, error: { code: "usage" } });
});

/** Two passphrase files, and a function that backs up an unchanged stack with the rule to keep one backup. */
async function passphraseFixture() {
  const production = await oneDashboardStack();
  const fixture = await programWithBackups({ production });
  for (const name of ["right", "wrong"]) {
    await writeFile(join(fixture.cwd, `${name}.words`), `the ${name} words that nobody guesses`, { mode: 0o600 });
  }
  const folder = join(fixture.repository, "production");
  return {
    ...fixture,
    folder,
    backup: (hours: number, name: string, more = "") =>
      fixture.run(
        `backup production --to place --passphrase-file ${name}.words --keep-last 1 --quiet ${more}`,
        hoursLater(hours),
      ),
    archives: async () => (await readdir(folder)).filter((name) => name.endsWith(".age")).toSorted(),
    [Symbol.asyncDispose]: () => production.close(),
  };
}

const [AT_0, AT_1, AT_2, AT_3] = [4, 5, 6, 7].map((hour) => `20261121T0${hour}1500Z.zip.age`);
const SUSPECT_PASSPHRASE = /its passphrase does not open the last good backup, production\/20261121T041500Z/;

it("a backup with another passphrase is suspect every night, and takes the place of none that the right one opens", async () => {
  using _ = cheapPassphrases();
  await using fixture = await passphraseFixture();
  const { backup, archives, json } = fixture;
  expect(await backup(0, "right")).toMatchObject({ exitCode: 0, stderr: "" });
  for (const hours of [1, 2]) {
    const slip = await backup(hours, "wrong");
    expect([slip.exitCode, slip.stderr]).toEqual([3, expect.stringMatching(SUSPECT_PASSPHRASE)]);
  }
  expect(await backup(2.5, "wrong", "--if-changed")).toMatchObject({ exitCode: 3 });
  expect(await json("prune place --keep-last 1 --yes", hoursLater(3))).toMatchObject({ exitCode: 0 });
  expect(await archives()).toEqual([AT_0, AT_2]);
  expect(await json("list place", hoursLater(3))).toMatchObject({
    archives: [{ suspect: [{ code: "wrong-key" }] }, { suspect: [] }],
  });
  expect(await backup(3, "right")).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await archives()).slice(-1)).toEqual([AT_3]);
  expect(await json("check place --passphrase-file right.words --newest", hoursLater(3))).toMatchObject({
    exitCode: 0,
  });
});

it("a passphrase that was changed on purpose is accepted once", async () => {
  using _ = cheapPassphrases();
  await using fixture = await passphraseFixture();
  const { backup, archives, json } = fixture;
  await backup(0, "right");
  expect(await backup(1, "wrong")).toMatchObject({ exitCode: 3 });
  const accept = "check place --stack production --newest --accept-suspect --passphrase-file wrong.words";
  expect(await json(accept, hoursLater(1))).toMatchObject({ exitCode: 0 });
  expect(await backup(2, "wrong")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await archives()).toEqual([AT_2]);
});

it("a backup with another passphrase that a killed run left unfinished is suspect once `check` completes it", async () => {
  using _ = cheapPassphrases();
  await using fixture = await passphraseFixture();
  const { backup, folder, json } = fixture;
  await backup(0, "right");
  await backup(1, "wrong");
  await rm(join(folder, "20261121T051500Z.json"));
  const checked = await json("check place --passphrase-file wrong.words --newest", hoursLater(2));
  expect(checked).toMatchObject({
    stacks: [{ newestGood: `production/${AT_0}`, suspect: [{ archive: `production/${AT_1}` }] }],
  });
});

it("a backup for other recipients than the last good one, or for a passphrase instead, is suspect", async () => {
  using _ = cheapPassphrases();
  await using fixture = await passphraseFixture();
  const { json } = fixture;
  const recipients = await Promise.all([1, 2].map(async () => identityToRecipient(await generateIdentity())));
  const suspect = [{ code: "wrong-key" }];
  for (const [hours, flags, expected] of [
    [0, `--recipient ${recipients[0]}`, { exitCode: 0, stacks: [{ suspect: [] }] }],
    [1, `--recipient ${recipients[1]}`, { exitCode: 3, stacks: [{ suspect }] }],
    [2, "--passphrase-file right.words", { exitCode: 3, stacks: [{ suspect }] }],
    [3, `--recipient ${recipients[0]}`, { exitCode: 0, stacks: [{ suspect: [] }] }],
  ] as const) {
    expect(await json(`backup production --to place ${flags}`, hoursLater(hours))).toMatchObject(expected);
  }
});

it("recipients and a passphrase exclude each other, wherever they come from", async () => {
  await using production = await oneDashboardStack();
  const recipient = await identityToRecipient(await generateIdentity());
  const settings = `repositories:\n  safe:\n    url: place\n    recipients: ["${recipient}"]\n`;
  const { cwd, json, repository } = await programWithBackups({ production }, settings);
  await writeFile(join(cwd, "some.words"), "some words that nobody guesses", { mode: 0o600 });
  const env = { STACKFERRY_PASSPHRASE: "other words that nobody guesses" };
  for (const [line, more] of [
    ["backup production --to safe --passphrase-file some.words", {}],
    ["backup production --to safe", env],
    [`backup production --to place --recipient ${recipient}`, env],
    [`export --from production --out a.zip --recipient ${recipient}`, env],
    [`export --from production --out a.zip --recipient ${recipient} --passphrase-file some.words`, {}],
  ] as const) {
    expect([line, await json(line, { ...hoursLater(0), env: more })]).toMatchObject([
      line,
      { exitCode: 2, error: { code: "usage" } },
    ]);
  }
  expect(await readdir(repository)).toEqual([]);
  const plain = await json("backup production --to safe --plain-text", { ...hoursLater(0), env });
  expect(plain).toMatchObject({ exitCode: 0, encrypted: false });
});

it("signer and identity of a repository hold for check and restore, unless a flag is given", async () => {
  await using production = await oneDashboardStack();
  const identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  const [ours, theirs] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
  const members = `recipients: ["${recipient}"], sign: signing.key, signer: signer.pub, identity: key.txt`;
  const settings = `repositories:\n  safe: { url: place, ${members} }\n`;
  const { cwd, run, json, repository } = await programWithBackups({ production }, settings);
  const write = (name: string, text: string | Buffer) => writeFile(join(cwd, name), text, { mode: 0o600 });
  await write("key.txt", identity);
  await write("signing.key", ours.privateKey.export({ type: "pkcs8", format: "pem" }));
  await write("signer.pub", ours.publicKey.export({ type: "spki", format: "pem" }));
  await write("other.pub", theirs.publicKey.export({ type: "spki", format: "pem" }));
  expect(await json("config check")).toMatchObject({ exitCode: 0 });
  expect(await json("backup production --to safe", hoursLater(0))).toMatchObject({ exitCode: 0 });
  const restore = "restore safe/production --to production --dry-run";
  expect(await json("check safe", hoursLater(1))).toMatchObject({
    exitCode: 0,
    stacks: [{ proof: { read: "decrypted", isSigned: true } }],
  });
  expect(await json(restore, hoursLater(1))).toMatchObject({ exitCode: 0 });
  expect(await json("check safe --signer other.pub", hoursLater(1))).toMatchObject({ exitCode: 4 });
  await rm(join(cwd, "key.txt"));
  const settingsWithoutKey = (await readFile(join(cwd, "stackferry.yaml"), "utf8")).replace(", identity: key.txt", "");
  await writeFile(join(cwd, "stackferry.yaml"), settingsWithoutKey);
  const sealed = await run("check safe", hoursLater(1));
  expect([sealed.exitCode, sealed.stdout]).toEqual([3, expect.stringContaining("no backup that a given key opens")]);
  const archive = join(repository, "production", String(AT_0));
  const bytes = await readFile(archive);
  await writeFile(archive, Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]));
  expect(await json("check safe", hoursLater(1))).toMatchObject({ exitCode: 4, stacks: [{ damaged: [{}] }] });
  await writeFile(archive, bytes.subarray(0, -1));
  expect((await run("list safe", hoursLater(1))).stdout).toContain("damaged: its content is not what was stored");
  await writeFile(archive, bytes);
  await write("key.txt", identity);
  await writeFile(join(cwd, "stackferry.yaml"), settingsWithoutKey.replace("signer:", "identity: key.txt, signer:"));
  await rm(join(repository, "production", `${AT_0}.sig`));
  expect(await json("check safe", hoursLater(1))).toMatchObject({ exitCode: 4, stacks: [{ damaged: [{}] }] });
  expect(await json(restore, hoursLater(1))).toMatchObject({ exitCode: 4 });
});

it("no backup takes the place of those that the signer of the repository has signed", async () => {
  await using production = await oneDashboardStack();
  const settings = `repositories:\n  safe: { url: place, sign: ours.key, signer: ours.pub, keep: { last: 1 } }\n`;
  const { cwd, json, repository } = await programWithBackups({ production }, settings);
  for (const name of ["ours", "theirs"]) {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    await writeFile(join(cwd, `${name}.key`), privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    await writeFile(join(cwd, `${name}.pub`), publicKey.export({ type: "spki", format: "pem" }));
  }
  expect(await json("backup production --to safe", hoursLater(0))).toMatchObject({ exitCode: 0 });
  const stored = await readdir(join(repository, "production"));
  const refused = { exitCode: 2, error: { code: "config" } };
  expect(await json("backup production --to safe --sign theirs.key", hoursLater(1))).toMatchObject(refused);
  const configured = await readFile(join(cwd, "stackferry.yaml"), "utf8");
  await writeFile(join(cwd, "stackferry.yaml"), configured.replace("sign: ours.key", "sign: theirs.key"));
  expect((await json("config check"))["exitCode"]).toBe(2);
  await writeFile(join(cwd, "stackferry.yaml"), configured.replace("sign: ours.key, ", ""));
  expect(await json("config check")).toMatchObject({ exitCode: 0 });
  expect(await json("backup production --to safe", hoursLater(2))).toMatchObject(refused);
  expect(await readdir(join(repository, "production"))).toEqual(stored);
  expect(await json("restore safe/production --to production --dry-run", hoursLater(3))).toMatchObject({ exitCode: 0 });
});

it("the passphrase of a repository encrypts its backups and opens them", async () => {
  using _ = cheapPassphrases();
  await using production = await oneDashboardStack();
  const settings = "repositories:\n  safe: { url: place, passphraseFile: the.words }\n";
  const { cwd, json } = await programWithBackups({ production }, settings);
  await writeFile(join(cwd, "the.words"), "the words that nobody guesses", { mode: 0o600 });
  await writeFile(join(cwd, "other.words"), "other words that nobody guesses", { mode: 0o600 });
  expect(await json("backup production --to safe", hoursLater(0))).toMatchObject({ exitCode: 0, encrypted: true });
  expect(await json("check safe", hoursLater(1))).toMatchObject({
    exitCode: 0,
    stacks: [{ proof: { read: "decrypted" } }],
  });
  expect(await json("inspect place/production", hoursLater(1))).toMatchObject({ exitCode: 0 });
  expect(await json("check safe --passphrase-file other.words", hoursLater(1))).toMatchObject({ exitCode: 4 });
  await writeFile(join(cwd, "the.words"), "");
  expect(await json("config check")).toMatchObject({ exitCode: 2 });
});
