import { generateKeyPairSync } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { commands } from "../../src/cli/program/commands.ts";
import { startSandbox, type Sandbox } from "../support/start-sandbox.ts";
import { secretsFoundIn, writtenBelow, type Canary, type Written } from "../support/canary.ts";
import { commandWords } from "../support/command-words.ts";
import { configuredStacks } from "../support/configured-stacks.ts";
import { cheapPassphrases } from "../support/cheap-passphrases.ts";
import { startFakeServer } from "../support/fake-server.ts";
import { runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
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
  cloud = await startSandbox({ variant: "managed", seed: "sample" });
  spare = await startSandbox({ variant: "self-hosted", seed: "bare" });
  identity = await generateX25519Identity();
  await collectSecrets();
}, 60_000);

afterAll(async () => {
  vi.unstubAllEnvs();
  for (const sandbox of [office, cloud, spare]) await sandbox.close();
});

/**
 * Writes keys to files and a configuration, and collects all secrets: credentials, keys of archives, and the secrets in the
 * sample stacks.
 */
async function collectSecrets(): Promise<void> {
  const signing = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const files = {
    "key.txt": identity,
    "words.txt": PASSPHRASE,
    "signing.key": signing,
    "office-key": office.apiKey ?? "",
  };
  for (const [name, text] of Object.entries({ ...files, "map.yaml": 'webhooks: { "*": pager }' }))
    await writeFile(join(inputs, name), `${text}\n`, { mode: 0o600 });
  const { stacks, env: keys } = configuredStacks({ office, spare, cloud });
  const configuration = {
    stacks: {
      ...stacks,
      office: { ...stacks["office"], apiKey: "${file:office-key}" },
      literal: { ...stacks["spare"], apiKey: spare.apiKey },
    },
  };
  env = { ...sandboxEnv(office, spare), ...keys, STACKFERRY_IDENTITY_FILE: join(inputs, "key.txt") };
  await writeFile(join(inputs, "stackferry.yaml"), JSON.stringify(configuration), { mode: 0o600 });
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

/** Returns the secrets of the sample stack, read from its HTTP interface. */
async function secretsOf(sandbox: Sandbox): Promise<Canary[]> {
  const { keyId, keySecret, apiKey } = sandbox;
  const authorization = apiKey === undefined ? `Basic ${btoa(`${keyId}:${keySecret}`)}` : `Bearer ${apiKey}`;
  const paths = apiKey === undefined ? sandbox.stored().pipes.map(({ id }) => `/pipes/${id}`) : ["/api/v2/webhooks"];
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

/** A command line, its exit codes (without them, any exit code passes), and more environment variables. */
type Line = readonly [command: string, exitCodes?: readonly number[], env?: Record<string, string>];

async function run([line, exitCodes, more = {}]: Line): Promise<string> {
  const words = commandWords(line);
  used.add(words[0] ?? "");
  const everywhere = ["--config", join(inputs, "stackferry.yaml"), "--verbose"];
  const result = await runCli([...words, ...everywhere], { cwd: work, env: { ...env, ...more } });
  written.push({ where: `${line} (stdout)`, bytes: Buffer.from(result.stdout) });
  written.push({ where: `${line} (stderr)`, bytes: Buffer.from(result.stderr) });
  if (exitCodes !== undefined)
    expect(`${line} → ${exitCodes.includes(result.exitCode)} ${result.stderr}`).toMatch(/→ true/);
  return result.stdout;
}

const lines = (recipient: string): readonly Line[] => {
  const done = [0, 3];
  return [
    ["export --from office --out office.zip", [0]],
    ["export --from cloud --out cloud.zip --json", [0]],
    ["export --from cloud --out tree --format folder", [0]],
    [`export --from ${office.stack} --out sealed.zip --recipient ${recipient} --sign ${inputs}/signing.key`, [0]],
    ["export --from spare --out p.zip --kinds sources", [0], { STACKFERRY_PASSPHRASE: PASSPHRASE }],
    ["inspect cloud.zip", [0]],
    ["inspect sealed.zip.age --json", [0]],
    [`verify sealed.zip.age --identity ${inputs}/key.txt`, [0]],
    [`verify p.zip.age --passphrase-file ${inputs}/words.txt`, [0]],
    ["report cloud.zip --out cloud.html"],
    ["export --from office --out files --format code"],
    ["apply files --to spare --dry-run --markdown", done],
    ["import cloud.zip --to spare --dry-run --draft-map map.yaml", done],
    ["import cloud.zip --to spare --draft-secrets secrets.yaml --dry-run"],
    [`import office.zip --to spare --map ${inputs}/map.yaml --create saved-searches --yes`, done],
    ["import office.zip --to spare --on-conflict overwrite --name-prefix 'x ' --yes --json", done],
    ["rollback --to spare --list", [0]],
    ["rollback --to spare --run 1 --yes", done],
    ["migrate --from cloud --to spare --keep-archive kept.zip --yes", done],
    ["diff office.zip cloud"],
    ["diff office cloud.zip --json"],
    [`backup office cloud --to ${work}/place --recipient ${recipient}`, [0]],
    [`backup office --to ${work}/clear`, [0]],
    [`list ${work}/place --json`, [0]],
    [`log ${work}/clear/office --patch`, [0]],
    [`restore ${work}/clear/office --to spare --dry-run`, done],
    [`check ${work}/clear --restore-test`, done],
    [`prune ${work}/clear --keep-last 1 --yes`, [0]],
    ["doctor office cloud spare", [0]],
    ["doctor literal --json", [0]],
    ["config check"],
    ["config schema"],
    ["completion bash"],
  ];
};

/** Returns command lines that fail because of refused keys, lost stacks or damaged archives. */
const failures = (echo: string): readonly Line[] => [
  [`doctor ${office.stack}`, [5], { STACKFERRY_API_KEY: cloud.keySecret ?? "" }],
  [`doctor http://admin:${encodeURIComponent(PASSPHRASE)}@127.0.0.1:1`, [2]],
  ["doctor http://127.0.0.1:1 --timeout 100ms", [6]],
  [`doctor ${echo} --timeout 100ms`],
  [`doctor ${echo} --timeout 100ms --json`],
  [`export --from ${echo} --out echo.zip --timeout 100ms --allow-partial`],
  [`export --from office --out no.zip --recipient ${identity}`, [2]],
  [`export --from office --out no.zip --sign ${inputs}/key.txt`, [2]],
  [`verify office.zip --signer ${inputs}/signing.key`, [2]],
  [`verify ${inputs}/key.txt`, [4]],
  ["verify p.zip.age", [4]],
  [`import cloud.zip --to spare --map ${inputs}/words.txt`, [2]],
  [`rollback --to spare --run 99 --yes`, [2]],
];

it("no command writes any of the planted secrets anywhere", async () => {
  using _ = cheapPassphrases();
  expect(canaries.length).toBeGreaterThan(12);
  for (const { name, secret } of canaries) expect(`${name} ${secret.length >= 10}`).toBe(`${name} true`);
  for (const line of lines(await identityToRecipient(identity))) await run(line);
  // This server repeats the request's credentials in each part of a response that can get into a message.
  await using echo = await startFakeServer((request, response) => {
    const { authorization = "" } = request.headers;
    const decoded = Buffer.from(authorization.split(" ")[1] ?? "", "base64").toString();
    response.writeHead(request.url?.includes("alerts") ? 500 : 400, { "x-request-id": authorization });
    response.end(JSON.stringify({ message: `you sent ${authorization} (${decoded})`, requestId: authorization }));
  });
  for (const line of failures(echo.url)) await run(line);
  await crash();

  expect(commands.map(({ name }) => name).filter((name) => !used.has(name))).toEqual(["init", "demo", "sandbox"]);
  const keys = { identity, passphrase: PASSPHRASE };
  const folders = [work, temporary, join(inputs, ".stackferry")];
  const files = (await Promise.all(folders.map((folder) => writtenBelow(folder, keys)))).flat();
  expect(files.map(({ where }) => where)).toEqual(expect.arrayContaining([join(work, "map.yaml")]));
  expect(files.some(({ where }) => where.includes("decrypted/manifest.json"))).toBe(true);
  expect(files.some(({ where }) => where.endsWith(".journal"))).toBe(true);
  expect(secretsFoundIn(canaries, [...written, ...files])).toEqual([]);
}, 180_000);

/** Throws an unexpected error whose message holds every credential that the run was given. */
async function crash(): Promise<void> {
  const credentials = {
    office: [office.apiKey],
    spare: [spare.apiKey],
    cloud: [cloud.keyId, cloud.keySecret, `${cloud.keyId}:${cloud.keySecret}`],
  };
  for (const [stack, secrets] of Object.entries(credentials)) {
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

it("the search for secrets finds a planted secret in each of its encodings", () => {
  const secret = "planted-secret/+=“x”";
  const inBasic = Buffer.from(`user:${secret}`).toString("base64");
  for (const form of [secret, encodeURIComponent(secret), JSON.stringify({ a: secret }), inBasic]) {
    const planted = { where: "planted", bytes: Buffer.from(`before ${form} after`) };
    expect(secretsFoundIn([{ name: "it", secret }], [planted])).not.toEqual([]);
  }
});
