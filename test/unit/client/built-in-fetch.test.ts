import { gzipSync } from "node:zlib";
import nock from "nock";
import { afterEach, describe, expect, test } from "vitest";
import { clientOf, kindOf, listAll } from "./support/clients.ts";
import { serve } from "./support/servers.ts";

const dashboards = kindOf("dashboards");

// Node's fetch and the dispatcher of npm's undici are of different versions; nock sees Node's fetch only.
describe("Node's own fetch with the dispatcher of npm's undici", () => {
  afterEach(() => nock.restore());

  test("is what nock intercepts: no connection is made", async () => {
    if (!nock.isActive()) nock.activate();
    const scope = nock("https://stack.invalid")
      .post("/api/v2/dashboards", { name: "a" })
      .matchHeader("content-type", "application/json")
      .reply(200, { data: { id: "1", name: "a" } });
    const client = clientOf("https://stack.invalid");
    await expect(client.create(dashboards, { name: "a" })).resolves.toEqual({ id: "1", name: "a" });
    expect(scope.isDone()).toBe(true);
  });

  test("sends a body, and reads a packed list in chunks, over the dispatcher's connections", async () => {
    const records = Array.from({ length: 5000 }, (_, number) => ({ id: `d${number}`, name: "x".repeat(200) }));
    const bodies: string[] = [];
    const ports = new Set<number | undefined>();
    const port = await serve(async (request, response) => {
      ports.add(request.socket.remotePort);
      let body = "";
      for await (const chunk of request) body += String(chunk);
      bodies.push(`${request.method} ${body}`);
      const answer = request.method === "GET" ? { data: records } : { data: { id: "1" } };
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(JSON.stringify(answer)));
    });
    const client = clientOf(`http://127.0.0.1:${port}`, { concurrency: 1 });
    await expect(client.update(dashboards, "1", { name: "é" })).resolves.toEqual({ id: "1" });
    await expect(listAll(client, "dashboards")).resolves.toEqual(records);
    expect(bodies).toEqual(['PUT {"name":"é"}', "GET "]);
    // The pool of the dispatcher closes with the client, so nothing is left that keeps the process alive.
    await client[Symbol.asyncDispose]();
    await expect(client.get(dashboards, "1")).rejects.toMatchObject({ code: "unreachable" });
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});
