import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { clientOf, kindOf, listAll, refusal } from "./support/clients.ts";
import { serve } from "./support/servers.ts";

const dashboards = kindOf("dashboards");
const record = (id: number): string => JSON.stringify({ id: `d${id}`, name: "x".repeat(50) });
const HEADERS = { "content-type": "application/json" };

describe("a streamed list", () => {
  test("gives its first records before the server sends the last", async () => {
    let taken = (): void => {};
    const firstTaken = new Promise<void>((resolve) => (taken = resolve));
    const port = await serve(async (_request, response) => {
      response.writeHead(200, HEADERS);
      response.write(`{"data":[${record(1)},`);
      // A client that parses a response only after its end would wait here forever.
      await firstTaken;
      response.end(`${record(2)}]}`);
    });
    const ids: unknown[] = [];
    for await (const page of clientOf(`http://127.0.0.1:${port}`).list(dashboards)) {
      ids.push(...page.map(({ value }) => (value as { id: string }).id));
      taken();
    }
    expect(ids).toEqual(["d1", "d2"]);
  });

  test("reads no more from the socket than its reader takes", async () => {
    const total = 64 * 1024 * 1024;
    let sent = 0;
    const port = await serve(async (_request, response) => {
      response.writeHead(200, HEADERS);
      response.write('{"data":[{"id":"first"}');
      const chunk = `,${JSON.stringify({ id: "same", text: "y".repeat(65_000) })}`;
      for (; sent < total && !response.destroyed; sent += chunk.length) {
        response.write(chunk);
        while (response.writableNeedDrain && !response.destroyed) await sleep(5);
      }
      response.end("]}");
    });
    for await (const page of clientOf(`http://127.0.0.1:${port}`).list(dashboards)) {
      expect(page.length).toBeGreaterThan(0);
      await sleep(300);
      break;
    }
    // The server has sent only as much as sockets and streams buffer.
    expect(sent).toBeLessThan(total / 4);
  });

  test("that is cut off is requested again, and every record comes once", async () => {
    let asked = 0;
    const port = await serve((request, response) => {
      asked += 1;
      response.writeHead(200, HEADERS);
      response.write(`{"data":[${record(1)},${record(2)},{"id":"d3"`);
      if (asked === 1) setTimeout(() => request.socket.destroy(), 50);
      else response.end(`},${record(4)}]}`);
    });
    const client = clientOf(`http://127.0.0.1:${port}`, { retryBudgetMs: 10_000 });
    const found = (await listAll(client, "dashboards")) as { id: string }[];
    expect(found.map(({ id }) => id)).toEqual(["d1", "d2", "d3", "d4"]);
    expect(client.requestCounts()).toMatchObject({ total: 2, retried: 1 });
  });

  test("may be read slowly: only waiting for the stack counts against the timeout", async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200, HEADERS).write(`{"data":[${record(1)},`);
      setTimeout(() => response.end(`${record(2)}]}`), 50);
    });
    const client = clientOf(`http://127.0.0.1:${port}`, { timeoutMs: 700 });
    let count = 0;
    for await (const page of client.list(dashboards)) {
      count += page.length;
      await sleep(900);
    }
    expect(count).toBe(2);
    expect(client.requestCounts()).toMatchObject({ total: 1, retried: 0 });
  });

  test("that fails halfway gives its records before the error", async () => {
    const port = await serve((request, response) => {
      response.writeHead(200, HEADERS).write(`{"data":[${record(1)},`);
      setTimeout(() => request.socket.destroy(), 50);
    });
    const pages = clientOf(`http://127.0.0.1:${port}`).list(dashboards)[Symbol.asyncIterator]();
    await expect(pages.next()).resolves.toMatchObject({ done: false, value: [{ value: { id: "d1" } }] });
    await expect(pages.next()).rejects.toMatchObject({ code: "unreachable" });
  });

  test("whose reader stops early closes its connection, and frees its slot", async () => {
    const closed: string[] = [];
    const port = await serve((request, response) => {
      response.on("close", () => closed.push(String(request.url)));
      response.writeHead(200, HEADERS);
      if (request.url?.endsWith("/dashboards")) response.write(`{"data":[${record(1)},`);
      else response.end('{"data":{"id":"d2"}}');
    });
    const client = clientOf(`http://127.0.0.1:${port}`, { concurrency: 1 });
    for await (const page of client.list(dashboards)) {
      expect(page).toHaveLength(1);
      break;
    }
    await expect.poll(() => closed).toEqual(["/api/v2/dashboards"]);
    await expect(client.get(dashboards, "d2")).resolves.toEqual({ id: "d2" });
  });

  test("that nests without end is refused as an answer that is not of this API", async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200, HEADERS).end(`{"data":[{"id":"d1","deep":${"[".repeat(200_000)}`);
    });
    const error = await refusal(listAll(clientOf(`http://127.0.0.1:${port}`), "dashboards"));
    expect(error).toMatchObject({ code: "protocol", message: expect.stringContaining("512 levels") });
  });

  test("whose reader was interrupted ends at once", async () => {
    const stop = new AbortController();
    const port = await serve((_request, response) => {
      response.writeHead(200, HEADERS).write(`{"data":[${record(1)},`);
    });
    const reading = (async () => {
      for await (const _page of clientOf(`http://127.0.0.1:${port}`).list(dashboards, stop.signal)) stop.abort();
    })();
    await expect(reading).rejects.toMatchObject({ code: "interrupted" });
  });
});

test("a single record that nests without end is refused", async () => {
  const port = await serve((_request, response) => {
    response.writeHead(200, HEADERS).end(`{"data":{"id":"d1","deep":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`);
  });
  const error = await refusal(clientOf(`http://127.0.0.1:${port}`).get(dashboards, "d1"));
  expect(error.code).toBe("protocol");
});
