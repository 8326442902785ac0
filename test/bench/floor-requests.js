// The floor of an import: sends a number of POSTs, several at a time, and reads the lists before and after them. If the stack
// has a limit, this script gets it as arguments, and waits for the end of each window that it has used up.
import { setTimeout as sleep } from "node:timers/promises";

const [, , address, kinds, count, concurrency, requests = Infinity, windowMs = 0] = process.argv;
/** The server's window begins when the first request arrives, which is after it is sent and before its response. */
const window = { number: 0, endsAt: -Infinity, sent: 0 };

async function send(path, init) {
  for (;;) {
    const now = performance.now();
    if (now >= window.endsAt) Object.assign(window, { number: window.number + 1, endsAt: Infinity, sent: 0 });
    if (window.sent < Number(requests)) break;
    await sleep(window.endsAt === Infinity ? 1 : window.endsAt - now + 1);
  }
  window.sent += 1;
  const { number } = window;
  const answer = await fetch(`${address}/api/v2/${path}`, init);
  if (number === window.number && window.endsAt === Infinity) window.endsAt = performance.now() + Number(windowMs);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  await answer.text();
}

const written = kinds.split(",");
const list = (of) => Promise.all(of.map((kind) => send(kind)));
const tasks = written.flatMap((kind) => Array.from({ length: Number(count) }, () => kind));
const body = JSON.stringify({ name: "Service overview", tiles: [] });
const work = async () => {
  for (let kind = tasks.shift(); kind !== undefined; kind = tasks.shift())
    await send(kind, { method: "POST", headers: { "content-type": "application/json" }, body });
};
await list(["connections", "sources", "webhooks", "saved-searches", "dashboards", "alerts"]);
await Promise.all(Array.from({ length: Number(concurrency) }, work));
await list(written);
