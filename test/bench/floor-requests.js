// The floor of an import: so many bare POSTs at so many at a time, and a list before and after. With a limit (requests and
// milliseconds) it knows it beforehand, and waits out each window that it has used up.
import { setTimeout as sleep } from "node:timers/promises";

const [, , address, kinds, count, concurrency, requests = Infinity, windowMs = 0] = process.argv;
const window = { begun: -Infinity, sent: 0 };

async function send(path, init) {
  for (;;) {
    const now = performance.now();
    if (now >= window.begun + Number(windowMs)) Object.assign(window, { begun: now, sent: 0 });
    if (window.sent < Number(requests)) break;
    await sleep(window.begun + Number(windowMs) - now + 5);
  }
  window.sent += 1;
  const answer = await fetch(`${address}/api/v2/${path}`, init);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  await answer.text();
}

const list = () => Promise.all(["dashboards", "alerts", "sources", "webhooks"].map((kind) => send(kind)));
const tasks = kinds.split(",").flatMap((kind) => Array.from({ length: Number(count) }, () => kind));
const body = JSON.stringify({ name: "Service overview", tiles: [] });
const work = async () => {
  for (let kind = tasks.shift(); kind !== undefined; kind = tasks.shift())
    await send(kind, { method: "POST", headers: { "content-type": "application/json" }, body });
};
await list();
await Promise.all(Array.from({ length: Number(concurrency) }, work));
await list();
