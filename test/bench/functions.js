// Counts the functions that an import of one dashboard with one alert runs, by precise coverage around one call of the library, and
// its requests: `npm run functions`. Counts named functions of this program, without the sandbox.
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportArchive, importArchive, startSandbox } from "../../dist/index.js";

const DIST = new URL("../../dist/", import.meta.url).href;
const idOf = (letter, number) => `${letter.repeat(20)}${String(number).padStart(4, "0")}`;
const from = { tableName: "otel_logs", databaseName: "default" };
const needed = (letter) => ({
  connections: [{ id: idOf(letter, 1), name: "Main", host: "http://db:8123", username: "reader" }],
  sources: [{ id: idOf(letter, 2), name: "Logs", kind: "log", connection: idOf(letter, 1), from }],
  webhooks: [{ id: idOf(letter, 3), name: "pager", service: "slack", url: "https://hooks.example.com/x" }],
});

/** Returns the records of a stack: one dashboard, one alert on its tile, and what they need. */
function stackOf(threshold) {
  const config = { displayType: "line", sourceId: idOf("a", 2), select: [{ aggFn: "count" }] };
  const tile = { id: idOf("a", 5), name: "Requests", x: 0, y: 0, w: 12, h: 4, config };
  const alert = {
    id: idOf("a", 6),
    name: "Busy",
    source: "tile",
    dashboardId: idOf("a", 4),
    tileId: tile.id,
    threshold,
    thresholdType: "above",
    interval: "5m",
    channel: { type: "webhook", webhookId: idOf("a", 3) },
  };
  const dashboard = { id: idOf("a", 4), name: "Overview", tags: [String(threshold)], tiles: [tile] };
  return { ...needed("a"), dashboards: [dashboard], alerts: [alert] };
}

const folder = mkdtempSync(join(tmpdir(), "stackferry-functions-"));
const access = ({ url, apiKey }) => ({ variant: "self-hosted", baseUrl: url, apiKey, allowHttp: true });
const session = new Session();
session.connect();
await session.post("Profiler.enable");

async function archiveOf(threshold) {
  const stack = await startSandbox({ variant: "self-hosted", seed: stackOf(threshold) });
  const path = join(folder, `${threshold}.zip`);
  await exportArchive({ from: access(stack), out: path });
  await stack[Symbol.asyncDispose]();
  return path;
}

let requests = 0;
const intercept = (_request, proceed) => {
  requests += 1;
  return proceed();
};

/** Runs an import, and counts the functions that it has called at least once. */
async function count(name, archive, target) {
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const options = { archive, to: access(target), journals: folder, onConflict: "overwrite" };
  const before = requests;
  const { outcomes } = await importArchive(options);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  const files = result.filter(({ url }) => url.startsWith(DIST) && !url.startsWith(`${DIST}sandbox/`));
  const rooms = new Map();
  let total = 0;
  const used = files.filter(({ url, functions }) => {
    const called = functions.filter(({ functionName, ranges }) => functionName !== "" && ranges[0].count > 0);
    const [room] = url.slice(DIST.length).split("/");
    rooms.set(room, (rooms.get(room) ?? 0) + called.length);
    total += called.length;
    return called.length > 0;
  });
  const shown = [...rooms].filter(([, called]) => called > 0).toSorted((left, right) => right[1] - left[1]);
  const engine = ["import", "matching", "references", "journal", "library", "core", "kinds"];
  const ofEngine = engine.reduce((sum, room) => sum + (rooms.get(room) ?? 0), 0);
  const actions = outcomes.map(({ kind, action }) => `${action} ${kind}`).join(", ");
  const sent = requests - before;
  console.log(
    `${name}: ${total} functions in ${used.length} files, ${ofEngine} of the engine, ${sent} requests (${actions})`,
  );
  console.log(`  ${shown.map(([room, called]) => `${room} ${called}`).join(", ")}`);
}

try {
  const [first, second] = [await archiveOf(1), await archiveOf(2)];
  const target = await startSandbox({ variant: "self-hosted", seed: needed("b"), intercept });
  await count("create", first, target);
  await count("update", second, target);
  await count("unchanged", second, target);
  await target[Symbol.asyncDispose]();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
