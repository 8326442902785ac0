import { createPrivateKey } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { exportArchive } from "../../../src/index.ts";
import { startSandbox } from "../../support/start-sandbox.ts";
import { startFakeServer } from "../../support/fake-server.ts";
import { startListener } from "../../support/listener.ts";
import { sampleWith } from "../../support/program.ts";
import { runCli, type CliRun } from "../../support/run-cli.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const TLS = new URL("../../fixtures/tls/", import.meta.url);
const CLIENT_ID = "4711.access";
const SECRET = "gAteway0SecretValue4711";
const PASSPHRASE = "key-Passphrase-4711";
const TEAM = "65f0c0ffee0000000000aaaa";
const env = { KEY: "stack-Key-0815", GATE_SECRET: SECRET, PASSPHRASE };
const HEADERS = {
  "CF-Access-Client-Id": CLIENT_ID,
  "CF-Access-Client-Secret": "${env:GATE_SECRET}",
  "x-hdx-team": TEAM,
};

/** Forwards every request that it admits to the stack, as a gateway does. Returns its address and the requests that it saw. */
async function startGateway(
  stackUrl: string | ((request: IncomingMessage) => string),
  admits: (request: IncomingMessage) => boolean,
  server?: Server,
) {
  const seen: IncomingMessage["headers"][] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    seen.push(request.headers);
    if (!admits(request)) {
      const page = `<html><body>Forbidden: ${String(request.headers["cf-access-client-secret"])}</body></html>`;
      response.writeHead(403, { "content-type": "text/html" }).end(page);
      return;
    }
    const { authorization = "", "content-type": type = "" } = request.headers;
    const { method = "GET" } = request;
    const body =
      method === "GET" ? {} : { body: await buffer(request), headers: { "content-type": type, authorization } };
    const base = typeof stackUrl === "string" ? stackUrl : stackUrl(request);
    const answer = await fetch(base + request.url, { method, headers: { authorization }, ...body });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
  const listener: RequestListener = (request, response) => void serve(request, response);
  const gateway = (server ?? createServer()).on("request", listener);
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => gateway.close().closeAllConnections());
  return { port: (gateway.address() as AddressInfo).port, seen };
}

const admitsHeaders = ({ headers }: IncomingMessage): boolean =>
  headers["cf-access-client-id"] === CLIENT_ID &&
  headers["cf-access-client-secret"] === SECRET &&
  headers["x-hdx-team"] === TEAM;

/** Writes a configuration with the stack `ours`, and returns a function that runs commands in its folder. */
async function configured(ours: object, cwd = temporaryFolder()) {
  const stack = { variant: "self-hosted", apiKey: "${env:KEY}", ...ours };
  await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify({ stacks: { ours: stack } }), { mode: 0o600 });
  const run = (command: string, more: Record<string, string> = {}): Promise<CliRun> =>
    runCli(command.split(" "), { cwd, env: { ...env, ...more } });
  return { cwd, run };
}

const seed = await sampleWith("self-hosted", "Audit trail", "Checkout latency", "Service overview");
const startStack = () => startSandbox({ variant: "self-hosted", seed, credentials: { apiKey: env.KEY } });

async function filesIn(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && entry.name !== "stackferry.yaml");
  return (await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1")))).join(
    "\n",
  );
}

describe("the headers of a stack", () => {
  it("go with every request, and their secrets are in no output, archive, journal or page", async () => {
    await using stack = await startStack();
    await using monitor = await startListener();
    const { port, seen } = await startGateway(stack.url, admitsHeaders);
    const { cwd, run } = await configured({ baseUrl: `http://127.0.0.1:${port}`, headers: HEADERS });
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
    expect(seen.every((headers) => admitsHeaders({ headers } as IncomingMessage))).toBe(true);
    const written = runs.map(({ stdout, stderr }) => stdout + stderr).join("\n") + (await filesIn(cwd));
    expect(written).not.toContain(SECRET);
    expect(monitor.heard.length).toBeGreaterThan(0);
    expect(JSON.stringify(monitor.heard)).not.toMatch(new RegExp(`${SECRET}|${CLIENT_ID}|cf-access`, "i"));
  });

  it("are named by doctor, without their values", async () => {
    await using stack = await startStack();
    const { port } = await startGateway(stack.url, admitsHeaders);
    const { run } = await configured({ baseUrl: `http://127.0.0.1:${port}`, headers: HEADERS });
    const { stdout } = await run("doctor ours");
    for (const header of Object.keys(HEADERS)) expect(stdout).toContain(`the header ${header}`);
    expect(stdout).not.toContain(CLIENT_ID);
    const access = { headers: Object.keys(HEADERS), clientCertificate: false, ca: false };
    expect(JSON.parse((await run("doctor ours --json")).stdout)).toMatchObject({ stacks: [{ access }] });
  });

  it("are in no error, even if a gateway echoes them", async () => {
    const { port } = await startGateway("http://127.0.0.1:9", () => false);
    const { run } = await configured({ baseUrl: `http://127.0.0.1:${port}`, headers: HEADERS });
    for (const form of ["", " --json"]) {
      const { exitCode, stdout, stderr } = await run(`export --from ours --out a.zip${form}`);
      expect(exitCode).toBe(5);
      expect(stdout + stderr).toContain("«credential»");
      expect(stdout + stderr).not.toContain(SECRET);
    }
  });

  it("are not sent after a redirect", async () => {
    await using elsewhere = await startListener();
    const location = `${elsewhere.url}/login`;
    await using moved = await startFakeServer((_, response) => void response.writeHead(302, { location }).end());
    const { run } = await configured({ baseUrl: moved.url, headers: HEADERS });
    expect((await run("doctor ours")).exitCode).not.toBe(0);
    expect(elsewhere.heard).toEqual([]);
  });

  it("whose secret a record holds keep the export from being written; a value that stands in the file does not", async () => {
    const seed = { dashboards: [{ id: "65f0c0ffee0000000000bbbb", name: `Board of ${TEAM}`, tiles: [] }] };
    const options = { variant: "self-hosted", seed, credentials: { apiKey: env.KEY } } as const;
    await using stack = await startSandbox(options);
    const open = await configured({ baseUrl: stack.url, headers: { "x-hdx-team": TEAM } });
    expect((await open.run("export --from ours --out a.zip")).exitCode).toBe(0);
    const secret = await configured({ baseUrl: stack.url, headers: { "x-hdx-team": "${env:TEAM}" } });
    const { exitCode, stderr } = await secret.run("export --from ours --out a.zip", { TEAM });
    expect([exitCode, await readdir(secret.cwd)]).toEqual([1, ["stackferry.yaml"]]);
    expect(stderr).not.toContain(TEAM);
    const of = (headers: Parameters<typeof exportArchive>[0]["from"]["headers"]) =>
      exportArchive({
        from: { variant: "self-hosted", baseUrl: stack.url, apiKey: env.KEY, headers },
        out: join(secret.cwd, "b.zip"),
      });
    await expect(of({ "x-hdx-team": TEAM })).rejects.toMatchObject({ code: "secret-in-output" });
    await expect(of({ "x-hdx-team": { value: TEAM, secret: false } })).resolves.toBeDefined();
  });

  it.each([
    ["a header of the program's own", { Authorization: "${env:KEY}" }, "Authorization"],
    ["a header twice", { "X-Gate": "${env:GATE_SECRET}", "x-gate": "b" }, "x-gate"],
    ["a line break", { "X-Gate": "line\nbreak-4711" }, "X-Gate"],
    ["a variable that is not set", { "X-Gate": "${env:MISSING}" }, "MISSING"],
  ])("with %s are refused by name before the first request", async (_mistake, headers, name) => {
    const { run } = await configured({ baseUrl: "http://127.0.0.1:9", headers });
    for (const command of ["config check", "doctor ours"]) {
      const { exitCode, stdout, stderr } = await run(command);
      expect([exitCode, stdout + stderr]).toEqual([2, expect.stringContaining(name)]);
      expect(stdout + stderr).not.toMatch(/gAteway|break-4711/);
    }
  });

  it("that hold a literal credential lead to a warning", async () => {
    const { run } = await configured({ baseUrl: "http://127.0.0.1:9", headers: { "X-Api-Key": SECRET, Team: "a" } });
    const { exitCode, stdout } = await run("config check --json");
    expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining(SECRET)]);
    expect(JSON.parse(stdout)).toMatchObject({
      warnings: [{ code: "literal-credential", message: expect.stringContaining("headers.X-Api-Key") }],
    });
  });
});

describe("teams of one server", () => {
  /** Two teams behind one address, as two stacks of one configuration. */
  async function twoTeams() {
    const [first, second] = [await startStack(), await startStack()];
    onTestFinished(async () => void (await Promise.all([first.close(), second.close()])));
    const ofTeam = ({ headers }: IncomingMessage): string => (headers["x-hdx-team"] === "t1" ? first.url : second.url);
    const { port } = await startGateway(ofTeam, () => true);
    const stack = { variant: "self-hosted", apiKey: "${env:KEY}", baseUrl: `http://127.0.0.1:${port}` };
    const stacks = {
      t1: { ...stack, headers: { "X-HDX-Team": "t1" } },
      t2: { ...stack, headers: { "x-hdx-team": "t2" } },
    };
    const { cwd, run } = await configured(stack);
    await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify({ stacks }), { mode: 0o600 });
    return { cwd, run };
  }

  it("are stacks with journals and runs of their own", async () => {
    const { cwd, run } = await twoTeams();
    await mkdir(join(cwd, "code/dashboards"), { recursive: true });
    await writeFile(join(cwd, "code/dashboards/new.yaml"), "name: New\ntiles: []\n");
    expect((await run("apply code --to t1 --yes")).exitCode).toBe(0);
    const second = await run("apply code --to t2 --yes --json");
    expect([second.exitCode, JSON.parse(second.stdout)]).toEqual([0, expect.objectContaining({ run: 1 })]);
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
    const { cwd, run } = await twoTeams();
    await mkdir(join(cwd, "repo"));
    expect((await run("backup t1 --to repo")).exitCode).toBe(0);
    const text = await readFile(join(cwd, "stackferry.yaml"), "utf8");
    await writeFile(join(cwd, "stackferry.yaml"), text.replace('"X-HDX-Team":"t1"', '"X-HDX-Team":"t2"'));
    const { exitCode, stderr } = await run("backup t1 --to repo");
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining("another address")]);
  });
});

describe("the client certificate of a stack", () => {
  const certificateFile = new URL("localhost.cert.pem", TLS).pathname;
  const keyFile = new URL("localhost.key.pem", TLS).pathname;

  /** Starts a gateway that demands a client certificate, which is the server's own. */
  async function startDemanding(stackUrl: string): Promise<string> {
    const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
    const server = createTlsServer({ cert, key, ca: cert, requestCert: true, rejectUnauthorized: true });
    return `https://localhost:${(await startGateway(stackUrl, () => true, server)).port}`;
  }

  it("opens a gateway that demands one, with an encrypted key, too, and doctor tells of both", async () => {
    await using stack = await startStack();
    const cwd = temporaryFolder();
    const encrypted = join(cwd, "client.key");
    const cipher = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: PASSPHRASE } as const;
    await writeFile(encrypted, createPrivateKey(await readFile(keyFile)).export(cipher), { mode: 0o600 });
    const baseUrl = await startDemanding(stack.url);
    const trusted = { baseUrl, caFile: certificateFile, clientCertificateFile: certificateFile };
    const plain = await configured({ ...trusted, clientKeyFile: keyFile });
    expect((await plain.run("doctor ours")).exitCode).toBe(0);
    const members = { ...trusted, clientKeyFile: "client.key", clientKeyPassphrase: "${env:PASSPHRASE}" };
    const { run } = await configured(members, cwd);
    const { exitCode, stdout } = await run("doctor ours --json");
    expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining(PASSPHRASE)]);
    expect(JSON.parse(stdout)).toMatchObject({ stacks: [{ access: { clientCertificate: true, ca: true } }] });
    expect((await run("doctor ours")).stdout).toContain("a client certificate");
    for (const passphrase of [undefined, "another-Passphrase"]) {
      const wrong = await configured({ ...members, clientKeyPassphrase: passphrase }, cwd);
      const checked = await wrong.run("config check");
      expect([checked.exitCode, checked.stdout]).toEqual([2, expect.stringContaining("passphrase")]);
    }
    const [certificate, key] = await Promise.all([certificateFile, encrypted].map((file) => readFile(file, "utf8")));
    const clientCertificate = { certificate: certificate ?? "", key: key ?? "", passphrase: PASSPHRASE };
    const from = {
      variant: "self-hosted",
      baseUrl,
      apiKey: env.KEY,
      ca: certificate ?? "",
      clientCertificate,
    } as const;
    await expect(exportArchive({ from, out: join(cwd, "a.zip") })).resolves.toBeDefined();
  });

  it("that is missing is named at once, with the setting", async () => {
    const baseUrl = await startDemanding("http://127.0.0.1:9");
    const { run } = await configured({ baseUrl, caFile: certificateFile });
    const { exitCode, stderr, stdout } = await run("export --from ours --out a.zip");
    expect([exitCode, stdout + stderr]).toEqual([6, expect.stringContaining("clientCertificateFile")]);
  });

  it.each([
    ["without its file", { clientKeyFile: keyFile }, "clientCertificateFile"],
    ["without a key", { clientCertificateFile: certificateFile }, "key"],
    ["in a file that does not exist", { clientCertificateFile: "none.pem", clientKeyFile: keyFile }, "none.pem"],
    ["in place of its key", { clientCertificateFile: certificateFile, clientKeyFile: certificateFile }, "key"],
    ["whose file holds a key", { clientCertificateFile: keyFile, clientKeyFile: keyFile }, "certificate"],
    [
      "for a plain http address",
      { clientCertificateFile: certificateFile, clientKeyFile: keyFile, baseUrl: "http://127.0.0.1:9" },
      "https",
    ],
  ])("%s is refused before the first request", async (_mistake, members, word) => {
    const { run } = await configured({ baseUrl: "https://localhost:9", ...members });
    const { exitCode, stdout, stderr } = await run("config check");
    expect([exitCode, stdout + stderr]).toEqual([2, expect.stringContaining(word)]);
  });
});
