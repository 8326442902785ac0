import { generateKeyPairSync } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { createSecureServer, createServer as createHttp2Server } from "node:http2";
import { connect, createServer as createSocketServer } from "node:net";
import { describe, expect, test } from "vitest";
import { instantClock } from "../../support/instant-clock.ts";
import { clientOf, kindOf, listAll, refusal } from "./support/clients.ts";
import { certificate, key, listen, serve, serveTls } from "./support/servers.ts";

const dashboards = kindOf("dashboards");
const ok: RequestListener = (_, response) => void response.end('{"data":{"id":"1"}}');
const demanding = { requestCert: true, rejectUnauthorized: true, ca: certificate } as const;

const html = (title: string): RequestListener => {
  const page = `<html>\r\n<head><title>400 ${title}</title></head>\r\n<body><center>${title}</center></body></html>`;
  return (_, response) => void response.writeHead(400, { "content-type": "text/html" }).end(page);
};
const socketThatSends = (text: string) => createSocketServer((socket) => void socket.on("error", () => {}).end(text));

/** By the fault of a server, or of a gateway in front of it: starts it, and a word of the advice that its user gets. */
const faults: Readonly<Record<string, readonly [() => Promise<string>, string]>> = {
  "a demand for a client certificate (TLS 1.3)": [
    async () => `https://localhost:${await serveTls(ok, demanding)}`,
    "clientCertificateFile",
  ],
  "a demand for a client certificate (TLS 1.2)": [
    async () => `https://localhost:${await serveTls(ok, { ...demanding, maxVersion: "TLSv1.2" })}`,
    "clientCertificateFile",
  ],
  "nginx's demand for a client certificate": [
    async () => `http://localhost:${await serve(html("No required SSL certificate was sent"))}`,
    "clientCertificateFile",
  ],
  "TLS 1.1 alone": [
    async () => {
      const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" } as const;
      return `https://localhost:${await serveTls(ok, old)}`;
    },
    "TLS 1.2",
  ],
  "HTTP/2 alone": [
    async () => `https://localhost:${await listen(createSecureServer({ cert: certificate, key }))}`,
    "HTTP/1.1",
  ],
  "HTTP/2 alone, without TLS": [async () => `http://localhost:${await listen(createHttp2Server())}`, "HTTP/1.1"],
  "another protocol": [
    async () => `http://localhost:${await listen(socketThatSends("SSH-2.0-OpenSSH_9.2\r\n"))}`,
    "port",
  ],
  "https, although the address begins with http": [async () => `http://localhost:${await serveTls(ok)}`, "https://"],
  "https, which nginx says to http": [
    async () => `http://localhost:${await serve(html("The plain HTTP request was sent to HTTPS port"))}`,
    "https://",
  ],
  "http, although the address begins with https": [async () => `https://localhost:${await serve(ok)}`, "scheme"],
};

describe("a fault that does not pass ends the operation at once, and its hint says what to do", () => {
  test.each(Object.entries(faults))("%s", async (_, [start, advice]) => {
    const client = clientOf(await start(), { ca: certificate, retryBudgetMs: 60_000 });
    const error = await refusal(listAll(client, "dashboards"));
    expect(error).toMatchObject({ code: "unreachable", hint: expect.stringContaining(advice) });
    expect(error.message).not.toMatch(/SSL routines|openssl/);
    expect(client.requestCounts()).toMatchObject({ total: 1, retried: 0 });
  });

  test("and a create was not applied, if TLS refused its connection", async () => {
    for (const url of [
      `https://localhost:${await serveTls(ok, demanding)}`,
      `http://localhost:${await serveTls(ok)}`,
    ]) {
      const error = await refusal(clientOf(url, { ca: certificate }).create(dashboards, {}));
      expect(error).toMatchObject({ code: "unreachable", failure: { applied: "no" } });
    }
  });

  test("even behind a proxy", async () => {
    const port = await serveTls(ok, demanding);
    const proxy = createServer().on("connect", (_, socket) => {
      const upstream = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [upstream, socket]) end.on("error", () => {});
    });
    const proxyEnv = { https_proxy: `127.0.0.1:${await listen(proxy)}` };
    // With the dot, the name does not count as this machine.
    const client = clientOf("https://localhost.", { ca: certificate, proxyEnv, retryBudgetMs: 60_000 });
    const error = await refusal(listAll(client, "dashboards"));
    expect(error).toMatchObject({ code: "unreachable", hint: expect.stringContaining("clientCertificateFile") });
    expect(client.requestCounts().total).toBe(1);
  });
});

test("a server that closed connections before it answered is asked again, and is not taken for https", async () => {
  let asked = 0;
  const port = await serve((request, response) => {
    asked += 1;
    if (asked < 3) request.socket.destroy();
    else ok(request, response);
  });
  const client = clientOf(`http://127.0.0.1:${port}`, { retryBudgetMs: 60_000, clock: instantClock() });
  await expect(client.get(dashboards, "1")).resolves.toEqual({ id: "1" });
});

test("a server that never answers but closes connections is given up after ten seconds, and the hint says why it may", async () => {
  const server = createSocketServer((socket) => void socket.on("error", () => {}).destroy());
  const clock = instantClock();
  const url = `https://127.0.0.1:${await listen(server)}`;
  const client = clientOf(url, { retryBudgetMs: 120_000, clock, random: () => 1 });
  const error = await refusal(listAll(client, "dashboards"));
  expect(error).toMatchObject({ code: "unreachable", hint: expect.stringContaining("clientCertificateFile") });
  expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(10_000);
});

test("a refusal of the stack that quotes such a page is a refusal of the stack", async () => {
  const message = "name: No required SSL certificate was sent";
  const port = await serve((_, response) => void response.writeHead(400).end(JSON.stringify({ message })));
  const error = await refusal(clientOf(`http://127.0.0.1:${port}`).create(dashboards, {}));
  expect(error).toMatchObject({ code: "rejected", message });
});

describe("an answer that was cut", () => {
  const cut = (tries: { left: number }): RequestListener => {
    return (_, response) => {
      response.setHeader("content-type", "application/json");
      tries.left -= 1;
      response.end(tries.left >= 0 ? '{"data":[{"id":"1"},{"id":"2","na' : '{"data":[{"id":"1"}]}');
    };
  };

  test("is asked for three times, and named for what it is", async () => {
    const reasons: string[] = [];
    const client = clientOf(`http://127.0.0.1:${await serve(cut({ left: 99 }))}`, {
      retryBudgetMs: 60_000,
      clock: instantClock(),
      events: (event) => event.type === "retry" && reasons.push(event.reason),
    });
    const error = await refusal(listAll(client, "dashboards"));
    expect(error).toMatchObject({ code: "protocol", hint: expect.stringContaining("gateway") });
    expect(error.message).toContain("cut off");
    expect(reasons).toEqual([expect.stringContaining("cut off"), expect.stringContaining("cut off")]);
    expect(client.requestCounts().total).toBe(3);
  });

  test.each([
    ["gzip", Buffer.from("no gzip at all")],
    ["br", Buffer.from("no brotli at all")],
  ])("or damaged while it was compressed (%s) is asked for three times, too", async (encoding, body) => {
    const port = await serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding }).end(body);
    });
    const client = clientOf(`http://127.0.0.1:${port}`, { retryBudgetMs: 60_000, clock: instantClock() });
    const error = await refusal(listAll(client, "dashboards"));
    expect(error).toMatchObject({ code: "unreachable", hint: expect.stringContaining("gateway") });
    expect(error.message).toContain("cut or damaged");
    expect(client.requestCounts().total).toBe(3);
  });

  test.each([
    ["its length", { "content-length": "100" }],
    ["no length", {}],
  ])("by a closed connection is asked for three times, too (%s)", async (_, headers) => {
    const port = await serve((request, response) => {
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.write('{"data":[', () => request.socket.destroy());
    });
    const client = clientOf(`http://127.0.0.1:${port}`, { retryBudgetMs: 60_000, clock: instantClock() });
    const error = await refusal(listAll(client, "dashboards"));
    expect(error).toMatchObject({ code: "unreachable", hint: expect.stringContaining("gateway") });
    expect(client.requestCounts().total).toBe(3);
  });

  test("once is asked for again", async () => {
    const client = clientOf(`http://127.0.0.1:${await serve(cut({ left: 1 }))}`, {
      retryBudgetMs: 60_000,
      clock: instantClock(),
    });
    await expect(listAll(client, "dashboards")).resolves.toEqual([{ id: "1" }]);
  });
});

test("a redirect is shown with its scheme, and its hint names the address to use", async () => {
  const port = await serve((request, response) => {
    const location = request.url?.includes("alerts") ? "https://login.test/?token=HIDDEN" : "https://127.0.0.1/x";
    response.writeHead(302, { location }).end();
  });
  const client = clientOf(`http://127.0.0.1:${port}`);
  const moved = await refusal(listAll(client, "dashboards"));
  expect(moved.message).toContain("a redirect to https://127.0.0.1;");
  expect(moved.hint).toContain("https://127.0.0.1");
  const login = await refusal(listAll(client, "alerts"));
  expect(login.message).toContain("a redirect to https://login.test;");
  expect(login.hint).toContain("headers");
});

test("a client key of another certificate is refused before the first request", () => {
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
  const open = (privateKey: string) =>
    clientOf("https://localhost:9", { clientCertificate: { certificate, key: privateKey } });
  expect(() => open(String(other))).toThrow(expect.objectContaining({ code: "config" }));
  expect(() => open(key)).not.toThrow();
});
