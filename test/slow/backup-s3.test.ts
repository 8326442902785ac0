import { generateKeyPairSync } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { hoursLater, programWithBackups } from "../support/program-with-backups.ts";
import { startS3Server, type S3Server } from "../support/s3-server.ts";

/** Returns the names of the backups that the program lists in a bucket. */
async function names(json: (args: string) => Promise<Record<string, unknown>>, repository: string): Promise<string[]> {
  const { archives } = (await json(`list ${repository}`)) as { archives: { name: string }[] };
  return archives.map(({ name }) => name);
}

function repositoriesOf({ url, bucket }: S3Server): string {
  return `repositories:\n  offsite:\n    url: s3://${bucket}/stacks\n    endpoint: ${url}\n    region: us-east-1\n    accessKeyId: S3RVER\n    secretAccessKey: \${env:S3_SECRET}\n`;
}

describe("a bucket as a repository", () => {
  it("serves backup, list, check, prune and restore", async () => {
    await using server = await startS3Server();
    await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { cwd, env, json } = await programWithBackups({ production: stack }, repositoriesOf(server));
    env["S3_SECRET"] = "S3RVER-secret";
    for (const hours of [0, 1, 2]) {
      const run = await json("backup production --to offsite --keep-last 2", hoursLater(hours));
      expect(run).toMatchObject({ exitCode: 0, stacks: [{ result: "stored" }] });
    }
    // The three are equal, so they count once, and the oldest stays while there are fewer than two.
    const kept = ["production/20261121T061500Z.zip", "production/20261121T041500Z.zip"];
    expect(await names(json, "offsite")).toEqual(kept);
    expect(await json("backup production --to offsite --if-changed", hoursLater(3))).toMatchObject({
      stacks: [{ bytes: 0 }],
    });
    expect(await json("check offsite --max-age 1h --restore-test", hoursLater(3.5))).toMatchObject({ exitCode: 0 });
    const archive = `s3://${server.bucket}/stacks/${kept[0] ?? ""}`;
    expect(await json(`verify ${archive}`)).toMatchObject({ exitCode: 0, archive: { path: archive } });
    expect(await json(`diff ${archive} production --exit-code`)).toMatchObject({ exitCode: 0 });
    expect(await json(`diff ${archive} s3://${server.bucket}/stacks/${kept[1] ?? ""}`)).toMatchObject({
      exitCode: 0,
      from: { label: archive },
    });
    expect(await json(`import ${archive} --to production --dry-run`)).toMatchObject({ exitCode: 0 });
    expect(await json(`restore s3://${server.bucket}/stacks/production --to production --yes`)).toMatchObject({
      exitCode: 0,
    });
    expect(await json(`verify s3://${server.bucket}/stacks/none.zip`)).toMatchObject({
      exitCode: 3,
      error: { code: "not-found" },
    });
    expect(await json(`inspect ${archive}`)).toMatchObject({ exitCode: 0 });
    expect(await readdir(cwd)).toEqual([".stackferry", "place", "stackferry.yaml"]);
  });
});

describe("a bucket that refuses", () => {
  it.each([
    [403, "AccessDenied", 5],
    [400, "ExpiredToken", 5],
    [404, "NoSuchBucket", 2],
    [507, "QuotaExceeded", 1],
    [503, "ServiceUnavailable", 6],
  ])(
    "writes with %s %s keeps the stored backups and ends with the documented exit code",
    async (status, code, exitCode) => {
      await using server = await startS3Server();
      await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
      const { env, json, run } = await programWithBackups({ production: stack }, repositoriesOf(server));
      env["S3_SECRET"] = "S3RVER-secret";
      await json("backup production --to offsite", hoursLater(0));
      server.intercept = (line) => (/^PUT .*\.zip/.test(line) ? { status, code } : undefined);
      const refused = await run("backup production --to offsite", hoursLater(1));
      expect(refused.exitCode).toBe(exitCode);
      expect(refused.stdout + refused.stderr).not.toMatch(/S3RVER-secret|AKIDEXAMPLE/);
      server.intercept = () => undefined;
      expect(await names(json, "offsite")).toEqual(["production/20261121T041500Z.zip"]);
      expect(await json("check offsite", hoursLater(1))).toMatchObject({ exitCode: 0 });
      expect(await json("backup production --to offsite", hoursLater(2))).toMatchObject({ exitCode: 0 });
    },
  );
});

describe("encrypted and signed backups", () => {
  it("are checked and pruned without a key, and restored with the key", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { cwd, repository, json } = await programWithBackups({ production: stack });
    const identity = await generateIdentity();
    await writeFile(join(cwd, "identity.txt"), `${identity}\n`, { mode: 0o600 });
    const pair = generateKeyPairSync("ed25519");
    await writeFile(join(cwd, "signing.pem"), pair.privateKey.export({ type: "pkcs8", format: "pem" }), {
      mode: 0o600,
    });
    await writeFile(join(cwd, "signer.pem"), pair.publicKey.export({ type: "spki", format: "pem" }));
    const line = `backup production --to place --recipient ${await identityToRecipient(identity)} --sign signing.pem --if-changed`;
    for (const hours of [0, 1]) await json(line, hoursLater(hours));
    const first = ["20261121T041500Z.json", "20261121T041500Z.zip.age", "20261121T041500Z.zip.age.sig"];
    const stored = async () => (await readdir(join(repository, "production"))).toSorted();
    expect(await stored()).toEqual([...first, "20261121T051500Z.unchanged", "good"]);
    expect(await json("check place --max-age 30m", hoursLater(1.25))).toMatchObject({
      exitCode: 0,
      stacks: [{ checked: 1 }],
    });
    await json(line.replace(" --if-changed", " --keep-last 1"), hoursLater(2));
    expect(await stored()).toEqual([...first.map((name) => name.replace("T04", "T06")), "good"]);
    const restore = "restore place/production --to production --dry-run --signer signer.pem";
    expect(await json(restore)).toMatchObject({ exitCode: 2 });
    expect(await json(`${restore} --identity identity.txt`)).toMatchObject({ exitCode: 0 });
    expect(await json("check place --restore-test --identity identity.txt", hoursLater(2))).toMatchObject({
      exitCode: 0,
      restoreTests: [{ ok: true }],
    });
  });
});
