import type { JsonObject } from "../../src/core/json.ts";
import type { StackRecord } from "../../src/core/records/record.ts";

/** Texts that run code, load files, link, control a terminal or change the reading direction unless they are shown as text. */
const HOSTILE = [
  "<script>window.pwned=1</script>",
  '"><img src=x onerror=window.pwned=1>',
  "javascript:window.pwned=1",
  "</style></script></svg><svg onload=window.pwned=1>",
  "' onmouseover='window.pwned=1",
  "\u202egnp.exe\u202c",
  "\u001b[2J\u001b]0;pwned\u0007",
  "zero\u200bwidth\u{e0041}",
  "&lt;b&gt; \ud800",
] as const;

/** A name with all these texts. */
export const HOSTILE_NAME = HOSTILE.join(" ");

const id = (number: number): string => `6b00e154e5757e17d9e5${String(number).padStart(4, "0")}`;

function record(kind: string, number: number, body: JsonObject): StackRecord {
  return { kind, id: id(number), name: HOSTILE_NAME, body: { ...body, id: id(number), name: HOSTILE_NAME } };
}

/** A record of each kind, in which every text is hostile, and numbers and shapes are such as no server sends. */
export const hostileRecords: readonly StackRecord[] = [
  record("sources", 1, {
    kind: HOSTILE_NAME,
    connection: HOSTILE_NAME,
    from: { databaseName: HOSTILE_NAME, tableName: HOSTILE_NAME },
    logSourceId: id(1),
    traceSourceId: id(8),
  }),
  {
    kind: "sources",
    id: "\"><script>'/..",
    name: "odd id",
    body: { id: "\"><script>'/..", name: "odd id", kind: "log" },
  },
  record("webhooks", 2, { service: HOSTILE_NAME, url: "javascript:window.pwned=1", body: HOSTILE_NAME }),
  record("dashboards", 3, {
    tags: [HOSTILE_NAME, 5],
    tiles: [
      tile(4, { displayType: HOSTILE_NAME, sourceId: id(1), select: HOSTILE_NAME, where: HOSTILE_NAME }),
      { ...tile(5, { displayType: "markdown", markdown: `[a](javascript:alert(1))\n${HOSTILE_NAME}` }), x: 1e9, w: -4 },
      {
        ...tile(6, { displayType: "__proto__", configType: "sql", sqlTemplate: HOSTILE_NAME }),
        x: null,
        y: "4",
        h: 1e300,
      },
      null,
    ],
    filters: [{ id: HOSTILE_NAME, name: HOSTILE_NAME, expression: HOSTILE_NAME, sourceId: HOSTILE_NAME }],
    containers: [{ id: HOSTILE_NAME, title: HOSTILE_NAME, tabs: [{ id: HOSTILE_NAME, title: HOSTILE_NAME }] }],
    savedQuery: HOSTILE_NAME,
  }),
  record("alerts", 7, {
    dashboardId: id(3),
    tileId: id(4),
    threshold: 1,
    thresholdType: "__proto__",
    interval: HOSTILE_NAME,
    channel: { type: HOSTILE_NAME, webhookId: id(2) },
    message: HOSTILE_NAME,
    note: HOSTILE_NAME,
    groupBy: HOSTILE_NAME,
  }),
  record("pipes", 8, {
    state: HOSTILE_NAME,
    source: { [HOSTILE_NAME]: { name: HOSTILE_NAME, topics: [HOSTILE_NAME] } },
    destination: { database: HOSTILE_NAME, table: HOSTILE_NAME },
    fieldMappings: [{ sourceField: HOSTILE_NAME, destinationField: HOSTILE_NAME }],
  }),
];

function tile(number: number, config: JsonObject): JsonObject {
  return { id: id(number), name: HOSTILE_NAME, x: 0, y: 0, w: 12, h: 4, config };
}
