// Samples for the measurements: dashboards whose tiles all differ, as a list over HTTP and as archives.
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { createArchiveWriter } from "../../dist/archive/writer.js";

const TYPES = ["line", "stacked_bar", "number", "table", "search", "markdown"];
const SERVICES = ["checkout", "cart", "payment", "search", "gateway", "billing", "users", "mail"];
const SOURCES = 12;
const NOT_THERE = { status: "not-offered", count: 0 };

export const sources = Array.from({ length: SOURCES }, (_, number) => ({
  id: hex(number),
  name: `Source ${number}`,
  kind: "log",
  connection: hex(77),
}));

export const webhooks = [{ id: hex(99), name: "On call", service: "generic", url: "https://hooks.example.com" }];

/** Writes a self-hosted list of dashboards piece by piece. Returns its size in bytes. */
export function writeDashboardList(path, count, tiles) {
  if (existsSync(path)) return statSync(path).size;
  const file = openSync(path, "w", 0o600);
  let bytes = writeSync(file, '{"data":[');
  for (let number = 0; number < count; number += 1)
    bytes += writeSync(file, `${number === 0 ? "" : ","}${JSON.stringify(dashboard(number, tiles))}`);
  bytes += writeSync(file, "]}");
  closeSync(file);
  return bytes;
}

/**
 * Writes an archive of dashboards with their sources and webhooks, and with an alert on each dashboard if `alerts` is set.
 * Returns its summary.
 */
export async function writeArchive(path, { dashboards, tiles, alerts = false }) {
  const writer = await createArchiveWriter({ path, format: "zip" });
  const add = (kind, body) => writer.add({ kind, id: body.id, name: body.name, body });
  const numbers = Array.from({ length: dashboards }, (_, number) => number);
  for (const number of numbers) await add("dashboards", dashboard(number, tiles));
  if (alerts) for (const number of numbers) await add("alerts", alert(number));
  for (const source of sources) await add("sources", source);
  for (const webhook of webhooks) await add("webhooks", { ...webhook, url: "https://hooks.example.com" });
  return writer.finish({
    createdAt: "2026-01-01T00:00:00.000Z",
    createdBy: { name: "bench", version: "1.0.0" },
    source: { variant: "self-hosted", baseUrl: "http://bench.test" },
    kinds: {
      dashboards: complete(dashboards),
      alerts: complete(alerts ? dashboards : 0),
      sources: complete(sources.length),
      webhooks: complete(webhooks.length),
      pipes: NOT_THERE,
    },
    redactions: [],
    warnings: [],
  });
}

/** Writes a year of backups, as a repository holds them: each day, the first tiles of other dashboards change. */
export async function writeBackups(folder, { days, dashboards, tiles, edits }) {
  const editedOn = Array.from({ length: dashboards }, () => 0);
  for (let day = 0; day < days; day += 1) {
    for (let edit = 0; edit < edits; edit += 1) editedOn[(day * edits + edit) % dashboards] = day;
    const createdAt = new Date(Date.UTC(2025, 0, 1 + day, 4, 15)).toISOString();
    const path = `${folder}/${createdAt.replaceAll(/[-:]|\.\d+/g, "")}.zip`;
    const writer = await createArchiveWriter({ path, format: "zip" });
    for (let number = 0; number < dashboards; number += 1) {
      const body = dashboard(number, tiles);
      body.name = `Dashboard ${number}`;
      body.tiles[0].name = `edited on day ${editedOn[number]}`;
      await writer.add({ kind: "dashboards", id: body.id, name: body.name, body });
    }
    const kinds = { dashboards: complete(dashboards) };
    const { contentDigest, bytes } = await writer.finish({
      createdAt,
      createdBy: { name: "bench", version: "1.0.0" },
      source: { variant: "self-hosted", baseUrl: "http://bench.test" },
      stack: "production",
      kinds,
      redactions: [],
      warnings: [],
    });
    const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
    const archive = `production/${basename(path)}`;
    const about = { archive, contentDigest, bytes, sha256, address: "", kinds };
    const entry = JSON.stringify({ format: "stackferry-backup", version: 1, ...about });
    writeFileSync(path.replace(/\.zip$/, ".json"), entry);
  }
}

function complete(count) {
  return { status: "complete", count };
}

function alert(number) {
  return {
    id: hex(500_000 + number),
    name: `Alert ${number}`,
    source: "tile",
    dashboardId: hex(number),
    tileId: tileId(number, 0),
    threshold: 5,
    thresholdType: "above",
    interval: "5m",
    channel: { type: "webhook", webhookId: hex(99) },
  };
}

function dashboard(number, tiles) {
  return {
    id: hex(number),
    name: `Service overview ${number}`,
    tags: ["production", `team-${number % 37}`],
    tiles: Array.from({ length: tiles }, (_, position) => tile(number, position)),
    filters: [],
  };
}

function tile(number, position) {
  const service = SERVICES[(number + position) % SERVICES.length];
  const name = `${service} ${position} of ${number}`;
  const at = {
    id: tileId(number, position),
    name,
    x: (position % 4) * 6,
    y: Math.floor(position / 4) * 4,
    w: 6,
    h: 4,
  };
  const displayType = TYPES[(number + position) % TYPES.length];
  const runbook = `## ${name}\nSee the [runbook](https://wiki.example.com/r/${number}/${position}) before you restart ${service}-${number}.`;
  if (displayType === "markdown") return { ...at, config: { displayType, markdown: runbook } };
  const pod = `${service}-${(number * 7919 + position * 104_729).toString(36)}`;
  const select = {
    aggFn: "quantile",
    level: 0.95,
    valueExpression: `Duration / 1e${position % 9}`,
    where: `ServiceName:${service} AND k8s.pod.name:${pod}-* AND SeverityText:error`,
    whereLanguage: "lucene",
    alias: `p95 of ${service} ${number}`,
  };
  const groupBy = "SpanName, ResourceAttributes['service.version']";
  return {
    ...at,
    config: { displayType, sourceId: hex(position % SOURCES), select: [select], groupBy, granularity: "auto" },
  };
}

function tileId(number, position) {
  return hex(10_000_000 + number * 1000 + position);
}

/** Returns an id of 24 hexadecimal digits. */
function hex(number) {
  return `64b7e1${(number + 1).toString(16).padStart(18, "0")}`;
}
