import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateKeyPairSync } from "node:crypto";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { expect, it } from "vitest";
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
