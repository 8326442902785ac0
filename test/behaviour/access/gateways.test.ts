import { createPrivateKey } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { exportArchive } from "../../../src/index.ts";
import { filesBelow } from "../../support/archive-samples.ts";
import { startFakeServer } from "../../support/fake-server.ts";
import { startListener } from "../../support/listener.ts";
import { sampleWith } from "../../support/program.ts";
import { runCli, type CliRun } from "../../support/run-cli.ts";
import { startSandbox, type Sandbox, type SandboxSeed } from "../../support/start-sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** The variables of every run of `configured`. */
const env = {
  KEY: "stack-Key-0815",
  GATE_SECRET: "gAteway0SecretValue4711",
  PASSPHRASE: "key-Passphrase-4711",
};

/** An address at which nothing listens. */
const NOWHERE = "http://127.0.0.1:9";

const threeBoards = await sampleWith("self-hosted", "Audit trail", "Checkout latency", "Service overview");

/** Starts a stack, by default of three dashboards, until the end of the test. */
async function startStack(seed: SandboxSeed = threeBoards): Promise<Sandbox> {
  const stack = await startSandbox({ variant: "self-hosted", seed, credentials: { apiKey: env.KEY } });
  onTestFinished(() => stack.close());
  return stack;
}

/**
 * Forwards every request that it admits to the stack, as a gateway does, until the end of the test.
 * @param stackUrlOf returns the address of the stack for this request, or nothing if the request is not admitted
 */
async function startGateway(
  stackUrlOf: (request: IncomingMessage) => string | undefined,
  server: Server = createServer(),
) {
  const seen: IncomingMessage["headers"][] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, method = "GET", url = "" } = request;
    seen.push(headers);
    const stackUrl = stackUrlOf(request);
    if (stackUrl === undefined) {
      const page = `<html><body>Forbidden: ${String(headers["cf-access-client-secret"])}</body></html>`;
      response.writeHead(403, { "content-type": "text/html" }).end(page);
      return;
    }
    const { authorization = "", "content-type": type = "" } = headers;
    const sent =
      method === "GET" ? {} : { body: await buffer(request), headers: { "content-type": type, authorization } };
    const answer = await fetch(stackUrl + url, { method, headers: { authorization }, ...sent });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
  const gateway = server.on("request", (request, response) => void serve(request, response));
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => gateway.close().closeAllConnections());
  return { port: (gateway.address() as AddressInfo).port, seen };
}

/** Writes a configuration with these stacks, and returns a function that runs commands in its folder. */
async function configured(stacks: Readonly<Record<string, object>>, cwd = temporaryFolder()) {
  const whole = Object.entries(stacks).map(([name, members]) => [
    name,
    { variant: "self-hosted", apiKey: "${env:KEY}", ...members },
  ]);
  const text = JSON.stringify({ stacks: Object.fromEntries(whole) });
  await writeFile(join(cwd, "stackferry.yaml"), text, { mode: 0o600 });
  const run = (command: string, more: Record<string, string> = {}): Promise<CliRun> =>
    runCli(command.split(" "), { cwd, env: { ...env, ...more } });
  return { cwd, run };
}

const CLIENT_ID = "4711.access";
const SECRET = env.GATE_SECRET;
const TEAM = "65f0c0ffee0000000000aaaa";
const HEADERS = {
  "CF-Access-Client-Id": CLIENT_ID,
  "CF-Access-Client-Secret": "${env:GATE_SECRET}",
  "x-hdx-team": TEAM,
};

const isAdmitted = (headers: IncomingMessage["headers"]): boolean =>
  headers["cf-access-client-id"] === CLIENT_ID &&
  headers["cf-access-client-secret"] === SECRET &&
  headers["x-hdx-team"] === TEAM;

/** Configures a stack behind a gateway that wants the headers. Without a stack, the gateway admits nobody. */
async function behindGateway(stackUrl?: string) {
  const { port, seen } = await startGateway(({ headers }) => (isAdmitted(headers) ? stackUrl : undefined));
  return { seen, ...(await configured({ ours: { baseUrl: `http://127.0.0.1:${port}`, headers: HEADERS } })) };
}

describe("the headers of a stack", () => {
  it("go with every request, and their secrets are in no output, archive, journal or page", async () => {
    await using monitor = await startListener();
    const { cwd, run, seen } = await behindGateway((await startStack()).url);
    await mkdir(join(cwd, "repo"));
    const notified = { STACKFERRY_NOTIFY: `${monitor.url}/ping` };
    const runs = [
      await run("doctor ours"),
      await run("doctor ours --json"),
      await run("export --from ours --out a --format folder", notified),
      await run("import a --to ours --name-prefix x- --report page.html", notified),
      await run("backup ours --to repo", notified),
    ];
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0]);
    expect(seen.length).toBeGreaterThan(20);
    expect(seen.every(isAdmitted)).toBe(true);
    const { "stackferry.yaml": _configuration, ...files } = await filesBelow(cwd);
    const written = [...runs.map(({ stdout, stderr }) => stdout + stderr), ...Object.values(files)];
    expect(written.join("\n")).not.toContain(SECRET);
    expect(monitor.heard.length).toBeGreaterThan(0);
    expect(JSON.stringify(monitor.heard)).not.toMatch(new RegExp(`${SECRET}|${CLIENT_ID}|cf-access`, "i"));
    // Doctor names the headers, without their values.
    const [text, json] = runs.map(({ stdout }) => stdout);
    for (const header of Object.keys(HEADERS)) expect(text).toContain(`the header ${header}`);
    expect(text).not.toContain(CLIENT_ID);
    const access = { headers: Object.keys(HEADERS), clientCertificate: false, ca: false };
    expect(JSON.parse(json ?? "")).toMatchObject({ stacks: [{ access }] });
  });

  it.each(["", " --json"])("are in no error, even if a gateway echoes them: export%s", async (form) => {
    const { run } = await behindGateway();
    const { exitCode, stdout, stderr } = await run(`export --from ours --out a.zip${form}`);
    expect([exitCode, stdout + stderr]).toEqual([5, expect.stringContaining("«credential»")]);
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it("are not sent after a redirect", async () => {
    await using elsewhere = await startListener();
    const location = `${elsewhere.url}/login`;
    await using moved = await startFakeServer((_, response) => void response.writeHead(302, { location }).end());
    const { run } = await configured({ ours: { baseUrl: moved.url, headers: HEADERS } });
    expect((await run("doctor ours")).exitCode).not.toBe(0);
    expect(elsewhere.heard).toEqual([]);
  });

  it("whose secret a record holds keep the export from being written; a value that stands in the file does not", async () => {
    const board = { id: "65f0c0ffee0000000000bbbb", name: `Board of ${TEAM}`, tiles: [] };
    const { url: baseUrl } = await startStack({ dashboards: [board] });
    const open = await configured({ ours: { baseUrl, headers: { "x-hdx-team": TEAM } } });
    expect((await open.run("export --from ours --out a.zip")).exitCode).toBe(0);
    const secret = await configured({ ours: { baseUrl, headers: { "x-hdx-team": "${env:TEAM}" } } });
    const { exitCode, stderr } = await secret.run("export --from ours --out a.zip", { TEAM });
    expect([exitCode, await readdir(secret.cwd)]).toEqual([1, ["stackferry.yaml"]]);
    expect(stderr).not.toContain(TEAM);
    const exportWith = (team: string | { value: string; secret: false }) => {
      const from = { variant: "self-hosted", baseUrl, apiKey: env.KEY, headers: { "x-hdx-team": team } } as const;
      return exportArchive({ from, out: join(secret.cwd, "b.zip") });
    };
    await expect(exportWith(TEAM)).rejects.toMatchObject({ code: "secret-in-output" });
    await expect(exportWith({ value: TEAM, secret: false })).resolves.toBeDefined();
  });

  it("that hold a literal credential lead to a warning", async () => {
    const { run } = await configured({ ours: { baseUrl: NOWHERE, headers: { "X-Api-Key": SECRET, Team: "a" } } });
    const { exitCode, stdout } = await run("config check --json");
    expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining(SECRET)]);
    const message = expect.stringContaining("headers.X-Api-Key");
    expect(JSON.parse(stdout)).toMatchObject({ warnings: [{ code: "literal-credential", message }] });
  });
});

/** Two teams behind one address, as two stacks of one configuration. */
async function twoTeams() {
  const [first, second] = [await startStack(), await startStack()];
  const { port } = await startGateway(({ headers }) => (headers["x-hdx-team"] === "t1" ? first.url : second.url));
  const baseUrl = `http://127.0.0.1:${port}`;
  // The case of a header is free.
  return {
    t1: { baseUrl, headers: { "X-HDX-Team": "t1" } },
    t2: { baseUrl, headers: { "x-hdx-team": "t2" } },
  };
}

describe("teams of one server", () => {
  it("are stacks with journals and runs of their own", async () => {
    const { cwd, run } = await configured(await twoTeams());
    await mkdir(join(cwd, "code/dashboards"), { recursive: true });
    await writeFile(join(cwd, "code/dashboards/new.yaml"), "name: New\ntiles: []\n");
    expect((await run("apply code --to t1 --yes")).exitCode).toBe(0);
    const second = await run("apply code --to t2 --yes --json");
    expect([second.exitCode, JSON.parse(second.stdout)]).toMatchObject([0, { run: 1 }]);
    expect((await readdir(join(cwd, ".stackferry"))).filter((name) => name.endsWith(".journal"))).toHaveLength(2);
    // The run on one team cannot be taken for one on the other.
    const undone = await run("rollback --to t1 --run 1 --yes --json");
    expect([undone.exitCode, JSON.parse(undone.stdout)]).toMatchObject([0, { counts: { delete: 1 } }]);
    expect((await run("diff t1 t2 --exit-code")).exitCode).toBe(10);
    await run("export --from t1 --out a.zip");
    const { stdout } = await run("import a.zip --to t2 --dry-run");
    expect(stdout).toMatch(/, team t1, .* → another stack, t2 \(.*, team t2\)/);
  });

  it("are not taken for each other by a repository", async () => {
    const { t1, t2 } = await twoTeams();
    const { cwd, run } = await configured({ t1 });
    await mkdir(join(cwd, "repo"));
    expect((await run("backup t1 --to repo")).exitCode).toBe(0);
    await configured({ t1: t2 }, cwd);
    const { exitCode, stderr } = await run("backup t1 --to repo");
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining("another address")]);
  });
});

const TLS = new URL("../../fixtures/tls/", import.meta.url);
const certificateFile = new URL("localhost.cert.pem", TLS).pathname;
const keyFile = new URL("localhost.key.pem", TLS).pathname;

/** Starts a gateway that demands a client certificate, which is the server's own. */
async function startDemanding(stackUrl: string): Promise<string> {
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
  const server = createTlsServer({ cert, key, ca: cert, requestCert: true, rejectUnauthorized: true });
  return `https://localhost:${(await startGateway(() => stackUrl, server)).port}`;
}

describe("the client certificate of a stack", () => {
  it("opens a gateway that demands one, with an encrypted key, too, and doctor tells of both", async () => {
    const baseUrl = await startDemanding((await startStack()).url);
    const trusted = { baseUrl, caFile: certificateFile, clientCertificateFile: certificateFile };
    const plain = await configured({ ours: { ...trusted, clientKeyFile: keyFile } });
    expect((await plain.run("doctor ours")).exitCode).toBe(0);

    const cwd = temporaryFolder();
    const passphrase = env.PASSPHRASE;
    const cipher = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase } as const;
    const key = createPrivateKey(await readFile(keyFile))
      .export(cipher)
      .toString();
    await writeFile(join(cwd, "client.key"), key, { mode: 0o600 });
    const encrypted = { ...trusted, clientKeyFile: "client.key", clientKeyPassphrase: "${env:PASSPHRASE}" };
    const { run } = await configured({ ours: encrypted }, cwd);
    const { exitCode, stdout } = await run("doctor ours --json");
    expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining(passphrase)]);
    expect(JSON.parse(stdout)).toMatchObject({ stacks: [{ access: { clientCertificate: true, ca: true } }] });
    expect((await run("doctor ours")).stdout).toContain("a client certificate");
    for (const clientKeyPassphrase of [undefined, "another-Passphrase"]) {
      const wrong = await configured({ ours: { ...encrypted, clientKeyPassphrase } }, cwd);
      const checked = await wrong.run("config check");
      expect([checked.exitCode, checked.stdout]).toEqual([2, expect.stringContaining("passphrase")]);
    }

    const certificate = await readFile(certificateFile, "utf8");
    const clientCertificate = { certificate, key, passphrase };
    const from = { variant: "self-hosted", baseUrl, apiKey: env.KEY, ca: certificate, clientCertificate } as const;
    await expect(exportArchive({ from, out: join(cwd, "a.zip") })).resolves.toBeDefined();
  });

  it("that is missing is named at once, with the setting", async () => {
    const { run } = await configured({ ours: { baseUrl: await startDemanding(NOWHERE), caFile: certificateFile } });
    const { exitCode, stderr, stdout } = await run("export --from ours --out a.zip");
    expect([exitCode, stdout + stderr]).toEqual([6, expect.stringContaining("clientCertificateFile")]);
  });
});

describe("a wrong setting for a gateway", () => {
  const pair = { clientCertificateFile: certificateFile, clientKeyFile: keyFile };
  it.each([
    ["a header of the program's own", { headers: { Authorization: "${env:KEY}" } }, "Authorization"],
    ["a header twice", { headers: { "X-Gate": "${env:GATE_SECRET}", "x-gate": "b" } }, "x-gate"],
    ["a line break in a header", { headers: { "X-Gate": "line\nbreak-4711" } }, "X-Gate"],
    ["a variable that is not set", { headers: { "X-Gate": "${env:MISSING}" } }, "MISSING"],
    ["no certificate for a key", { clientKeyFile: keyFile }, "clientCertificateFile"],
    ["no key for a certificate", { clientCertificateFile: certificateFile }, "key"],
    ["a file that does not exist", { ...pair, clientCertificateFile: "none.pem" }, "none.pem"],
    ["a certificate as the key", { ...pair, clientKeyFile: certificateFile }, "key"],
    ["a key as the certificate", { ...pair, clientCertificateFile: keyFile }, "certificate"],
    ["a certificate for a plain http address", { ...pair, baseUrl: NOWHERE }, "https"],
  ])("is named before the first request, without secrets: %s", async (_mistake, members, word) => {
    const { run } = await configured({ ours: { baseUrl: "https://localhost:9", ...members } });
    for (const command of ["config check", "doctor ours"]) {
      const { exitCode, stdout, stderr } = await run(command);
      expect([exitCode, stdout + stderr]).toEqual([2, expect.stringContaining(word)]);
      expect(stdout + stderr).not.toMatch(/gAteway|break-4711/);
    }
  });
});
