import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

// A stack that costs almost no time: it serves self-hosted lists from files or memory, and stores what is written. It can
// respond slowly, or allow a limited number of requests per window, with or without RateLimit headers.

/**
 * Starts the stack. `files`: the file with the whole list, by kind. `records`: the stored records, by kind. `latencyMs`: the
 * delay of each response. `limit`: `{ requests, windowMs, headers }`, for fixed windows.
 */
export async function serveStack({ files = {}, records = {}, latencyMs = 0, limit } = {}) {
  const store = { dashboards: [], alerts: [], sources: [], webhooks: [], ...structuredClone(records) };
  const counts = { total: 0, refused: 0 };
  /** Times of the first write's arrival and of the last write's response, in milliseconds. */
  const writes = { first: Infinity, last: 0 };
  const window = { endsAt: 0, taken: 0 };

  const admit = (response) => {
    if (limit === undefined) return true;
    const now = performance.now();
    if (now >= window.endsAt) Object.assign(window, { endsAt: now + limit.windowMs, taken: 0 });
    window.taken += 1;
    const admitted = window.taken <= limit.requests;
    if (limit.headers) {
      response.setHeader("ratelimit-limit", limit.requests);
      response.setHeader("ratelimit-remaining", Math.max(0, limit.requests - window.taken));
      response.setHeader("ratelimit-reset", Math.ceil((window.endsAt - now) / 1000));
    }
    return admitted;
  };

  const server = createServer(async (request, response) => {
    counts.total += 1;
    if (request.method !== "GET") writes.first = Math.min(writes.first, performance.now());
    const body = await readBody(request);
    const admitted = admit(response);
    if (latencyMs > 0) await sleep(latencyMs);
    if (!admitted) {
      counts.refused += 1;
      response.writeHead(429).end("Too many requests");
      return;
    }
    const { pathname, searchParams } = new URL(request.url, "http://stack");
    const [, kind = "", id] = /^\/api\/v2\/([a-z]+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
    response.setHeader("content-type", "application/json; charset=utf-8");
    if (request.method !== "GET") {
      response.end(JSON.stringify({ data: write(store[kind], id, body) }));
      writes.last = performance.now();
    } else if (id !== undefined) {
      const data = store[kind]?.find((record) => record.id === id);
      response.writeHead(data === undefined ? 404 : 200).end(JSON.stringify(data === undefined ? {} : { data }));
    } else if (files[kind] !== undefined) {
      response.setHeader("content-length", statSync(files[kind]).size);
      createReadStream(files[kind], { highWaterMark: 1 << 18 }).pipe(response);
    } else response.end(JSON.stringify(page(store[kind] ?? [], searchParams)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    counts,
    writes,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
}

function page(records, query) {
  const offset = Number(query.get("offset") ?? 0);
  const limit = Number(query.get("limit") ?? records.length);
  return { data: records.slice(offset, offset + limit), meta: { total: records.length, limit, offset } };
}

function write(records, id, body) {
  const number = (records.length + 1).toString(16).padStart(20, "0");
  const tiles = body.tiles?.map((tile, index) => ({
    id: `7${number}${String(index).padStart(3, "0")}`,
    ...tile,
  }));
  const stored = { ...body, id: id ?? `5000${number}`, ...(tiles && { tiles }) };
  records.push(stored);
  return stored;
}
