import { createServer, type RequestListener } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { API_KEY, clientOf, everythingIn, kindOf, listAll, refusal } from "./support/clients.ts";
import { networkFailure } from "../../../src/client/network-failure.ts";
import { instantClock } from "../../support/instant-clock.ts";
import { certificate, freePort, listen, serve, serveTls } from "./support/servers.ts";

const dashboards = kindOf("dashboards");
const ok: RequestListener = (_, response) => void response.end('{"data":{"id":"1"}}');

async function origin(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await serve(listener)}`;
}

describe("a network that fails", () => {
  const failures: Readonly<Record<string, RequestListener>> = {
    "a reset": (request) => void request.socket.resetAndDestroy(),
    "a closed connection": (request) => void request.socket.destroy(),
    "a body cut short": (request, response) => {
      response.writeHead(200, { "content-length": 100, "content-type": "application/json" });
      response.write('{"data":');
      setTimeout(() => request.socket.destroy(), 20);
    },
    "a chunked body cut short": (request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data":');
      setTimeout(() => request.socket.destroy(), 20);
    },
    "no answer at all": () => {},
    "a body that does not end": (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(timer));
    },
  };

  test.each(Object.entries(failures))("%s: a create is not retried and its result is unknown", async (_, listener) => {
    let requests = 0;
    const url = await origin((request, response) => {
      requests += 1;
      listener(request, response);
    });
    const client = clientOf(url, { timeoutMs: 400, retryBudgetMs: 60_000 });
    const error = await refusal(client.create(dashboards, { name: "a" }));
    expect(error).toMatchObject({
      code: "unreachable",
      failure: { method: "POST", path: "/api/v2/dashboards", applied: "unknown" },
    });
    expect(requests).toBe(1);
    expect(everythingIn(error)).not.toContain(API_KEY);
  });

  test("a port that fetch blocks is named in the error at once, without a retry", async () => {
    const events: string[] = [];
    const client = clientOf("http://127.0.0.1:9", { events: ({ type }) => events.push(type) });
    const error = await refusal(listAll(client, "dashboards"));
    expect(error).toMatchObject({ code: "unreachable" });
    expect(error.message).toBe(
      "GET /api/v2/dashboards got no usable answer from 127.0.0.1:9: Node's fetch refuses to connect to this port",
    );
    expect(events).not.toContain("retry");
  });

  test.each(Object.entries(failures))("%s: a get is retried", async (_, listener) => {
    let requests = 0;
    const url = await origin((request, response) => ((requests += 1) === 1 ? listener : ok)(request, response));
    const client = clientOf(url, { timeoutMs: 400, retryBudgetMs: 60_000 });
    await expect(client.get(dashboards, "1")).resolves.toEqual({ id: "1" });
    expect(client.requestCounts()).toMatchObject({ total: 2, retried: 1 });
  });

  test("a create is retried after a refused connection, which means that it was not applied", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const client = clientOf(url, { retryBudgetMs: 5000, clock: instantClock() });
    const error = await refusal(client.create(dashboards, {}));
    expect(error).toMatchObject({ code: "unreachable", failure: { applied: "no" } });
    expect(error.message).toContain("ECONNREFUSED");
    expect(client.requestCounts().total).toBeGreaterThan(2);
  });

  test("a host that does not exist is named in the error", async () => {
    const client = clientOf("http://no-such-host.invalid", { allowHttp: true });
    const error = await refusal(client.get(dashboards, "1"));
    expect(error).toMatchObject({ code: "unreachable", failure: { applied: "no" } });
    expect(error.message).toMatch(/no-such-host\.invalid.*(?:ENOTFOUND|EAI_AGAIN)/);
  });
});

describe("an answer that is not one of this API", () => {
  test("an endless answer is cut off at maxResponseBytes", async () => {
    let closed = false;
    const url = await origin((_, response) => {
      const flood = (): void => void (!closed && response.write("x".repeat(65_536), () => setImmediate(flood)));
      response.on("close", () => (closed = true));
      flood();
    });
    const client = clientOf(url, { maxResponseBytes: 1_000_000 });
    await expect(refusal(client.get(dashboards, "1"))).resolves.toMatchObject({
      code: "protocol",
      failure: { applied: "no" },
    });
    await expect.poll(() => closed).toBe(true);
  });

  test("maxResponseBytes applies to the decompressed body", async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000, 32));
    const url = await origin((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    expect(bomb.byteLength).toBeLessThan(10_000);
    const client = clientOf(url, { maxResponseBytes: 1_000_000 });
    await expect(refusal(client.get(dashboards, "1"))).resolves.toMatchObject({ code: "protocol" });
  });

  test("bytes that are not UTF-8 are refused, not replaced", async () => {
    const url = await origin((_, response) =>
      response.end(Buffer.from([...Buffer.from('{"data":{"id":"'), 0xff, 0x22, 0x7d, 0x7d])),
    );
    await expect(refusal(clientOf(url).get(dashboards, "1"))).resolves.toMatchObject({ code: "protocol" });
  });

  test.each([301, 302, 303, 307, 308])(
    "a redirect (%i) is not followed, and its host is named in the error",
    async (status) => {
      let followed = false;
      const elsewhere = await origin((_, response) => {
        followed = true;
        response.end("{}");
      });
      const target = `${elsewhere}/login?token=HIDDEN`;
      const url = await origin((_, response) => response.writeHead(status, { location: target }).end());
      const error = await refusal(clientOf(url).update(dashboards, "1", {}));
      const applied = status === 302 || status === 303 ? "unknown" : "no";
      expect(error).toMatchObject({ code: "protocol", failure: { status, applied } });
      expect(error.message).toContain(new URL(elsewhere).host);
      expect(everythingIn(error)).not.toContain("HIDDEN");
      expect(followed).toBe(false);
    },
  );
});

test("connections are reused, cookies are not sent back, and content-type is sent only with a body", async () => {
  const seen: { readonly port: number | undefined; readonly headers: Readonly<Record<string, unknown>> }[] = [];
  const url = await origin((request, response) => {
    seen.push({ port: request.socket.remotePort, headers: request.headers });
    response.setHeader("set-cookie", "session=1");
    ok(request, response);
  });
  const client = clientOf(url, { userAgent: "stackferry/1" });
  await client.get(dashboards, "1");
  await client.update(dashboards, "1", { name: "é" });
  await client.delete(dashboards, "1");
  const [get, put, remove] = seen.map(({ headers }) => headers);
  expect(get).toMatchObject({
    accept: "application/json",
    authorization: `Bearer ${API_KEY}`,
    "user-agent": "stackferry/1",
  });
  expect(put).toMatchObject({ "content-type": "application/json", "content-length": "13" });
  expect([get, remove].map((headers) => headers?.["content-type"])).toEqual([undefined, undefined]);
  expect(seen.map(({ headers }) => headers["cookie"])).toEqual([undefined, undefined, undefined]);
  for (let count = 0; count < 10; count += 1) await client.get(dashboards, "1");
  // The client may open another connection if the first one is not free yet, so the test allows up to three.
  expect(new Set(seen.map(({ port }) => port)).size).toBeLessThanOrEqual(3);
});

test("a compressed list is read in chunks, and the connections close with the client", async () => {
  const records = Array.from({ length: 5000 }, (_, number) => ({ id: `d${number}`, name: "x".repeat(200) }));
  const packed = gzipSync(JSON.stringify({ data: records }));
  const url = await origin((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed));
  const client = clientOf(url);
  await expect(listAll(client, "dashboards")).resolves.toEqual(records);
  await client[Symbol.asyncDispose]();
  await expect(client.get(dashboards, "1")).rejects.toMatchObject({ code: "unreachable" });
});

describe("TLS", () => {
  test("a certificate of an unknown authority is refused without a retry", async () => {
    const client = clientOf(`https://localhost:${await serveTls(ok)}`, { retryBudgetMs: 60_000 });
    const error = await refusal(client.create(dashboards, {}));
    expect(error).toMatchObject({ code: "unreachable", failure: { applied: "no" } });
    expect(error.hint).toContain("CA file");
    expect(client.requestCounts().total).toBe(1);
  });

  test.each([
    ["CERT_HAS_EXPIRED", "renew"],
    ["CERT_NOT_YET_VALID", "clock"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "name"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "CA file"],
  ])("%s: the hint names the remedy (%s)", (code, advice) => {
    const request = {
      method: "GET",
      path: "/",
      url: "https://host/",
      writes: false,
      repeatable: true,
      optional: false,
      right: "a role",
    } as const;
    const thrown = new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code }) });
    const { error, retry } = networkFailure(request, thrown, (text) => text);
    expect(error.hint).toContain(advice);
    expect(error.hint?.includes("CA file")).toBe(advice === "CA file");
    expect(retry).toBe("never");
  });

  test("a certificate is accepted with the authority's CA file", async () => {
    const client = clientOf(`https://localhost:${await serveTls(ok)}`, { ca: certificate });
    await expect(client.get(dashboards, "1")).resolves.toEqual({ id: "1" });
  });

  test("https to a port that speaks http is refused as unreachable without a retry", async () => {
    const client = clientOf(`https://127.0.0.1:${await serve(ok)}`, { retryBudgetMs: 60_000 });
    const error = await refusal(client.create(dashboards, {}));
    expect(error).toMatchObject({ code: "unreachable", failure: { applied: "no" } });
    expect(client.requestCounts().total).toBe(1);
  });

  test.each(["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])(
    "%j is refused as a CA file",
    (ca) => {
      expect(() => clientOf("https://localhost", { ca })).toThrow(expect.objectContaining({ code: "config" }));
    },
  );
});

describe("a proxy", () => {
  /** Starts a proxy that connects every request to one port, whatever the requested address. */
  async function proxyTo(port: number, seen: string[]): Promise<string> {
    const proxy = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
      ok(request, response);
    });
    proxy.on("connect", (request, socket) => {
      seen.push(`CONNECT ${request.url}`);
      const upstream = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [upstream, socket])
        end.on("error", () => {}).on("close", () => [upstream, socket].map((one) => one.destroy()));
    });
    return `127.0.0.1:${await listen(proxy)}`;
  }

  test("is used for http with the proxy's credential", async () => {
    const seen: string[] = [];
    const proxy = await proxyTo(0, seen);
    const client = clientOf("http://stack.test:8000", {
      allowHttp: true,
      proxyEnv: { http_proxy: `http://user:word@${proxy}` },
    });
    await expect(client.get(dashboards, "1")).resolves.toEqual({ id: "1" });
    expect(seen).toEqual(["GET http://stack.test:8000/api/v2/dashboards/1 Basic dXNlcjp3b3Jk"]);
  });

  test.each([
    ["user:pa%word", "user:pa%word"],
    ["user:100%25", "user:100%"],
  ])("gets the login %s as %s", async (login, sent) => {
    const seen: string[] = [];
    const proxyEnv = { http_proxy: `http://${login}@${await proxyTo(0, seen)}` };
    const client = clientOf("http://stack.test:8000", { allowHttp: true, proxyEnv });
    await expect(client.get(dashboards, "1")).resolves.toEqual({ id: "1" });
    expect(seen).toEqual([expect.stringContaining(`Basic ${Buffer.from(sent).toString("base64")}`)]);
  });

  test("never sees the key of a stack in a network that no_proxy names", async () => {
    const seen: string[] = [];
    const proxyEnv = { http_proxy: await proxyTo(0, seen), no_proxy: "192.0.2.0/24,2001:db8::1" };
    for (const url of ["http://192.0.2.7", "http://[2001:db8::1]"]) {
      const client = clientOf(url, { allowHttp: true, proxyEnv, timeoutMs: 200 });
      await expect(refusal(client.get(dashboards, "1"))).resolves.toMatchObject({ code: "unreachable" });
    }
    expect(seen).toEqual([]);
  });

  test("is a tunnel for https, and the stack's certificate is checked", async () => {
    const seen: string[] = [];
    const proxy = await proxyTo(await serveTls(ok), seen);
    const proxyEnv = { https_proxy: proxy };
    const trusting = clientOf("https://stack.test", { ca: certificate, proxyEnv });
    const error = await refusal(trusting.get(dashboards, "1"));
    expect(error.message).toContain("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(seen).toEqual(["CONNECT stack.test:443"]);
  });

  test("is not used for hosts in no_proxy, nor for localhost", async () => {
    const seen: string[] = [];
    const proxy = await proxyTo(0, seen);
    const url = await origin(ok);
    await clientOf(url, { proxyEnv: { http_proxy: proxy } }).get(dashboards, "1");
    const excepted = clientOf("http://stack.invalid", {
      allowHttp: true,
      proxyEnv: { http_proxy: proxy, no_proxy: ".invalid" },
    });
    expect((await refusal(excepted.get(dashboards, "1"))).message).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect(seen).toEqual([]);
  });

  test.each(["https", "http"])("that refuses %s is named in the error, and is not retried", async (scheme) => {
    let requests = 0;
    const proxy = createServer((_, response) => {
      requests += 1;
      response.writeHead(407).end();
    });
    proxy.on("connect", (_, socket) => {
      requests += 1;
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    });
    const proxyEnv = { [`${scheme}_proxy`]: `http://user:SECRETWORD@127.0.0.1:${await listen(proxy)}` };
    const client = clientOf(`${scheme}://stack.test`, { proxyEnv, allowHttp: true });
    const error = await refusal(client.create(dashboards, {}));
    expect(error).toMatchObject({ code: "unreachable", failure: { applied: "no" } });
    expect(error.message).toContain("407");
    expect(error.hint).toContain("proxy");
    expect(everythingIn(error)).not.toContain("SECRETWORD");
    expect(requests).toBe(1);
  });

  test("with an invalid address is refused without the address in the message", () => {
    const make = () => clientOf("https://stack.test", { proxyEnv: { https_proxy: "socks9://user:SECRETWORD@host" } });
    expect(make).toThrow(
      expect.objectContaining({ code: "config", message: expect.not.stringContaining("SECRETWORD") }),
    );
  });
});

describe("the caller's signal", () => {
  test("interrupts a running read", async () => {
    const stop = new AbortController();
    const url = await origin(() => stop.abort());
    const client = clientOf(url, { retryBudgetMs: 60_000 });
    await expect(client.get(dashboards, "1", stop.signal)).rejects.toMatchObject({ code: "interrupted" });
    await expect(listAll(client, "dashboards", stop.signal)).rejects.toMatchObject({ code: "interrupted" });
    expect(client.requestCounts().total).toBe(1);
  });

  test("lets a running write finish", async () => {
    const stop = new AbortController();
    const url = await origin((request, response) => {
      stop.abort();
      setTimeout(() => ok(request, response), 50);
    });
    const client = clientOf(url);
    await expect(client.create(dashboards, {}, stop.signal)).resolves.toEqual({ id: "1" });
    await expect(client.create(dashboards, {}, stop.signal)).rejects.toMatchObject({ code: "interrupted" });
    expect(client.requestCounts().total).toBe(1);
  });

  test("an interruption between two tries of a write leaves its result unknown", async () => {
    const stop = new AbortController();
    const url = await origin((_, response) => {
      stop.abort();
      response.writeHead(503).end();
    });
    const client = clientOf(url, { retryBudgetMs: 60_000 });
    const error = await refusal(client.update(dashboards, "1", {}, { signal: stop.signal }));
    expect(error).toMatchObject({ code: "unavailable", failure: { applied: "unknown" } });
    expect(client.requestCounts().total).toBe(1);
  });
});

test("a closed client lets running requests finish and refuses new requests", async () => {
  const url = await origin((request, response) => void setTimeout(() => ok(request, response), 100));
  const client = clientOf(url, { retryBudgetMs: 60_000 });
  const underWay = client.create(dashboards, {});
  await expect.poll(() => client.requestCounts().total).toBe(1);
  await client[Symbol.asyncDispose]();
  await expect(underWay).resolves.toEqual({ id: "1" });
  await expect(refusal(client.get(dashboards, "1"))).resolves.toMatchObject({ code: "unreachable" });
  expect(client.requestCounts().total).toBe(2);
});
