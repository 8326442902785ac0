import { generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { commandOutlines } from "../../src/cli/program/parse/outlines.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { Canary, Written } from "../support/canary.ts";
import { sightings, writtenBelow } from "../support/canary.ts";
import { cheapPassphrases } from "../support/cheap-passphrases.ts";
import { startOddServer } from "../support/odd-server.ts";
import { runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PASSPHRASE = "canary words of a passphrase, “quoted” & all";
const written: Written[] = [];
const used = new Set<string>();
const canaries: Canary[] = [];
let [work, inputs, temporary] = ["", "", ""];
let office: Sandbox;
let cloud: Sandbox;
let spare: Sandbox;
let identity = "";
let env: Record<string, string> = {};

beforeAll(async () => {
  const folder = temporaryFolder();
  [work, inputs, temporary] = [join(folder, "work"), join(folder, "inputs"), join(folder, "tmp")];
  for (const path of [work, inputs, temporary, join(work, "place"), join(work, "clear")]) await mkdir(path);
  vi.stubEnv("TMPDIR", temporary);
  office = await startSandbox({ variant: "self-hosted", seed: "sample" });
  cloud = await startSandbox({ variant: "managed", seed: "sample", api: "contract" });
  spare = await startSandbox({ variant: "self-hosted", seed: "bare" });
  identity = await generateX25519Identity();
  await plant();
}, 60_000);

afterAll(async () => {
  vi.unstubAllEnvs();
  for (const sandbox of [office, cloud, spare]) await sandbox.close();
});

/** Everything secret there is: the credentials, the keys of the archives, and what the sample stacks hold. */
async function plant(): Promise<void> {
  const signing = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const files = {
    "key.txt": identity,
    "words.txt": PASSPHRASE,
    "signing.key": signing,
    "office-key": office.apiKey ?? "",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(inputs, name), `${text}\n`, { mode: 0o600 });
  env = {
    ...sandboxEnv(office, spare),
    CLOUD_ID: cloud.keyId ?? "",
    CLOUD_SECRET: cloud.keySecret ?? "",
    SPARE_KEY: spare.apiKey ?? "",
    STACKFERRY_IDENTITY_FILE: join(inputs, "key.txt"),
  };
  await writeFile(join(inputs, "stackferry.yaml"), configuration(), { mode: 0o600 });
  const credentials = {
    "office key": office.apiKey,
    "spare key": spare.apiKey,
    "cloud key id": cloud.keyId,
    "cloud key secret": cloud.keySecret,
    "cloud basic": `${cloud.keyId}:${cloud.keySecret}`,
    "age key": identity,
    passphrase: PASSPHRASE,
    "signing key": signing.split("\n")[1],
  };
  for (const [name, secret = ""] of Object.entries(credentials)) canaries.push({ name, secret });
  canaries.push(...(await secretsOf(office)), ...(await secretsOf(cloud)));
}

const configuration = (): string => `
stacks:
  office: { variant: self-hosted, baseUrl: "${office.url}", apiKey: "\${file:office-key}" }
  spare: { variant: self-hosted, baseUrl: "${spare.url}", apiKey: "\${env:SPARE_KEY}" }
  literal: { variant: self-hosted, baseUrl: "${spare.url}", apiKey: "${spare.apiKey}" }
  cloud:
    variant: managed
    baseUrl: ${cloud.url}
    organizationId: ${cloud.organizationId}
    serviceId: ${cloud.serviceId}
    keyId: \${env:CLOUD_ID}
    keySecret: \${env:CLOUD_SECRET}
    pipeIds: ${JSON.stringify(cloud.pipeIds)}
`;

/** What the sample stack holds that must not leave it, read from its own HTTP interface. */
async function secretsOf(sandbox: Sandbox): Promise<Canary[]> {
  const { keyId, keySecret, apiKey, pipeIds = [] } = sandbox;
  const authorization = apiKey === undefined ? `Basic ${btoa(`${keyId}:${keySecret}`)}` : `Bearer ${apiKey}`;
  const paths = apiKey === undefined ? pipeIds.map((id) => `/pipes/${id}`) : ["/api/v2/webhooks"];
  const bodies = paths.map(async (path) => {
    const response = await fetch(`${sandbox.stack}${path}`, { headers: { authorization } });
    expect(response.status).toBe(200);
    return response.text();
  });
  const text = (await Promise.all(bodies)).join("\n");
  const found = [
    ...text.matchAll(/hooks\.slack\.com\/services\/([^"]+)/g),
    ...text.matchAll(/\/http\/([^"]+)/g),
    ...text.matchAll(/[?&](?:key|sig)=([^"&]+)/g),
    ...text.matchAll(/"connectionString":"([^"]+)"/g),
    ...text.matchAll(/AccountKey=([^"]+)/g),
    ...text.matchAll(/\/\/[^"/@:]+:([^"/@]+)@/g),
  ].map((match) => match[1] ?? "");
  return [...new Set(found)].map((secret) => ({ name: `a secret of ${sandbox.variant}`, secret }));
}

interface Line {
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  /** Any, where the line is there for what it prints. */
  readonly exitCodes?: readonly number[];
}

async function run({ args, env: more = {}, exitCodes }: Line): Promise<string> {
  const [command = ""] = args;
  used.add(command);
  const everywhere = ["--config", join(inputs, "stackferry.yaml"), "--verbose"];
  const result = await runCli([...args, ...everywhere], { cwd: work, env: { ...env, ...more } });
  const where = args.join(" ");
  written.push({ where: `${where} (stdout)`, bytes: Buffer.from(result.stdout) });
  written.push({ where: `${where} (stderr)`, bytes: Buffer.from(result.stderr) });
  if (exitCodes !== undefined)
    expect(`${where} → ${exitCodes.includes(result.exitCode)} ${result.stderr}`).toMatch(/→ true/);
  return result.stdout;
}

const lines = (recipient: string): readonly Line[] => {
  const key = (name: string): string => join(inputs, name);
  const done = [0, 3];
  return [
    { args: ["export", "--from", "office", "--out", "office.zip"], exitCodes: [0] },
    { args: ["export", "--from", "cloud", "--out", "cloud.zip", "--json"], exitCodes: [0] },
    { args: ["export", "--from", "cloud", "--out", "tree", "--format", "folder"], exitCodes: [0] },
    {
      args: [
        "export",
        "--from",
        office.stack,
        "--out",
        "sealed.zip",
        "--recipient",
        recipient,
        "--sign",
        key("signing.key"),
      ],
      exitCodes: [0],
    },
    {
      args: ["export", "--from", "spare", "--out", "p.zip", "--kinds", "sources"],
      env: { STACKFERRY_PASSPHRASE: PASSPHRASE },
      exitCodes: [0],
    },
    { args: ["inspect", "cloud.zip"], exitCodes: [0] },
    { args: ["inspect", "sealed.zip.age", "--json"], exitCodes: [0] },
    { args: ["verify", "sealed.zip.age", "--identity", key("key.txt")], exitCodes: [0] },
    { args: ["verify", "p.zip.age", "--passphrase-file", key("words.txt")], exitCodes: [0] },
    { args: ["report", "cloud.zip", "--out", "cloud.html"] },
    { args: ["export", "--from", "office", "--out", "files", "--format", "code"] },
    { args: ["apply", "files", "--to", "spare", "--dry-run", "--markdown"], exitCodes: done },
    { args: ["import", "cloud.zip", "--to", "spare", "--dry-run", "--draft-map", "map.yaml"], exitCodes: done },
    { args: ["import", "cloud.zip", "--to", "spare", "--draft-secrets", "secrets.yaml", "--dry-run"] },
    {
      args: [
        "import",
        "office.zip",
        "--to",
        "spare",
        "--default-webhook",
        "pager",
        "--create",
        "saved-searches",
        "--yes",
        "--journal",
        "one.journal",
      ],
      exitCodes: done,
    },
    {
      args: [
        "import",
        "office.zip",
        "--to",
        "spare",
        "--on-conflict",
        "update",
        "--name-prefix",
        "x ",
        "--yes",
        "--json",
      ],
      exitCodes: done,
    },
    { args: ["report", "one.journal", "--out", "one.html"] },
    { args: ["rollback", "one.journal", "--to", "spare", "--yes"], exitCodes: done },
    { args: ["migrate", "--from", "cloud", "--to", "spare", "--keep-archive", "kept.zip", "--yes"], exitCodes: done },
    { args: ["diff", "office.zip", "cloud"] },
    { args: ["diff", "office", "cloud.zip", "--json"] },
    { args: ["backup", "office", "cloud", "--to", join(work, "place"), "--recipient", recipient], exitCodes: [0] },
    { args: ["backup", "office", "--to", join(work, "clear")], exitCodes: [0] },
    { args: ["list", join(work, "place"), "--json"], exitCodes: [0] },
    { args: ["log", join(work, "clear/office"), "--patch"], exitCodes: [0] },
    { args: ["restore", join(work, "clear/office"), "--to", "spare", "--dry-run"], exitCodes: done },
    { args: ["check", join(work, "clear"), "--restore-test"], exitCodes: done },
    { args: ["prune", join(work, "clear"), "--keep-last", "1", "--yes"], exitCodes: [0] },
    { args: ["doctor", "office", "cloud", "spare"], exitCodes: [0] },
    { args: ["doctor", "literal", "--json"], exitCodes: [0] },
    { args: ["config", "check"] },
    { args: ["config", "schema"] },
    { args: ["demo"], exitCodes: [0] },
    { args: ["completion", "bash"] },
  ];
};

/** Lines that fail: refused keys, lost stacks, damaged archives. */
const failures = (echo: string): readonly Line[] => [
  { args: ["doctor", office.stack], env: { STACKFERRY_API_KEY: cloud.keySecret ?? "" }, exitCodes: [5] },
  { args: ["doctor", `http://admin:${encodeURIComponent(PASSPHRASE)}@127.0.0.1:1`], exitCodes: [2] },
  { args: ["doctor", "http://127.0.0.1:1", "--timeout", "100ms"], exitCodes: [6] },
  { args: ["doctor", echo, "--timeout", "100ms"] },
  { args: ["doctor", echo, "--timeout", "100ms", "--json"] },
  { args: ["export", "--from", echo, "--out", "echo.zip", "--timeout", "100ms", "--allow-partial"] },
  { args: ["export", "--from", "office", "--out", "no.zip", "--recipient", identity], exitCodes: [2] },
  { args: ["export", "--from", "office", "--out", "no.zip", "--sign", join(inputs, "key.txt")], exitCodes: [2] },
  { args: ["verify", "office.zip", "--signer", join(inputs, "signing.key")], exitCodes: [2] },
  { args: ["verify", join(inputs, "key.txt")], exitCodes: [4] },
  { args: ["verify", "p.zip.age"], exitCodes: [4] },
  { args: ["import", "cloud.zip", "--to", "spare", "--map", join(inputs, "words.txt")], exitCodes: [2] },
  { args: ["rollback", join(inputs, "key.txt"), "--to", "spare"], exitCodes: [2] },
];

it("finds none of the secrets in anything that any command writes", async () => {
  using _ = cheapPassphrases();
  expect(canaries.length).toBeGreaterThan(12);
  for (const { name, secret } of canaries) expect(`${name} ${secret.length >= 10}`).toBe(`${name} true`);
  for (const line of lines(await identityToRecipient(identity))) await run(line);
  // A server that sends the request's own headers back, in every place that a message is made of.
  await using echo = await startOddServer((request, response) => {
    const { authorization = "" } = request.headers;
    const decoded = Buffer.from(authorization.split(" ")[1] ?? "", "base64").toString();
    response.writeHead(request.url?.includes("alerts") ? 500 : 400, { "x-request-id": authorization });
    response.end(JSON.stringify({ message: `you sent ${authorization} (${decoded})`, requestId: authorization }));
  });
  for (const line of failures(echo.url)) await run(line);
  await crash();

  expect(commandOutlines.map(({ name }) => name).filter((name) => !used.has(name))).toEqual(["init", "sandbox"]);
  const keys = { identity, passphrase: PASSPHRASE };
  const files = [...(await writtenBelow(work, keys)), ...(await writtenBelow(temporary, keys))];
  expect(files.map(({ where }) => where)).toEqual(
    expect.arrayContaining([join(work, "one.journal"), join(work, "map.yaml")]),
  );
  expect(files.some(({ where }) => where.includes("decrypted/manifest.json"))).toBe(true);
  expect(sightings(canaries, [...written, ...files])).toEqual([]);
}, 180_000);

/** A mistake of ours whose message holds every credential that the run was given. */
async function crash(): Promise<void> {
  const given = {
    office: [office.apiKey],
    spare: [spare.apiKey],
    cloud: [cloud.keyId, cloud.keySecret, `${cloud.keyId}:${cloud.keySecret}`],
  };
  for (const [stack, secrets] of Object.entries(given)) {
    const own = [...secrets, ...Object.values(sandboxEnv(office, spare)), PASSPHRASE].map(String);
    const forms = own.flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")]);
    const broken = new Proxy<Record<string, string>>(
      { ...env, STACKFERRY_PASSPHRASE: PASSPHRASE },
      {
        get(target, name) {
          if (String(name).toLowerCase() === "https_proxy") throw new Error(`broken: ${forms.join(", ")}`);
          return target[String(name)];
        },
      },
    );
    const args = ["doctor", stack, "--verbose", "--config", join(inputs, "stackferry.yaml")];
    const { exitCode, stdout, stderr } = await runCli(args, { cwd: work, env: broken });
    expect({ exitCode, told: stderr.includes("broken: ") }).toEqual({ exitCode: 1, told: true });
    written.push({ where: `crash of ${stack}`, bytes: Buffer.from(stdout + stderr) });
  }
}

it("would find them: the search sees what is planted, in each of its forms", async () => {
  const secret = "planted-secret/+=“x”";
  const planted = join(work, "planted.txt");
  const forms = [secret, btoa(encodeURI(secret)), encodeURIComponent(secret), JSON.stringify({ a: secret })];
  const inBasic = Buffer.from(`user:${secret}`).toString("base64");
  for (const form of [forms[0], forms[2], forms[3], inBasic]) {
    await writeFile(planted, `before ${form} after`);
    const seen = sightings([{ name: "it", secret }], [{ where: planted, bytes: await readFile(planted) }]);
    expect(seen.length).toBeGreaterThan(0);
  }
  await rm(planted);
  expect(await readdir(work)).not.toContain("planted.txt");
});
