import type { JsonObject } from "../../src/core/json.ts";
import type { ResourceKind } from "../../src/core/resource-kind.ts";
import { findKind } from "../../src/kinds/registry.ts";

/** A record that contains a case. */
export interface Specimen {
  readonly kind: ResourceKind;
  readonly body: JsonObject;
}

type Place = (text: string) => readonly [kind: string, body: JsonObject];

const id = (number: number): string => `6b00e15be5757e17d9e5${number.toString(16).padStart(4, "0")}`;
const dashboard = (config: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: id(1),
  name: "Overview",
  tags: ["production"],
  tiles: [{ id: id(2), name: "Requests", x: 0, y: 0, w: 6, h: 3, config: { sourceId: id(3), ...config } }],
  ...more,
});
const alert = (more: JsonObject): JsonObject => ({
  id: id(4),
  name: "Many errors",
  source: "tile",
  dashboardId: id(1),
  tileId: id(2),
  threshold: 10,
  channel: { type: "webhook", webhookId: id(5) },
  ...more,
});
const webhook = (more: JsonObject): JsonObject => ({
  id: id(5),
  name: "oncall",
  service: "generic",
  url: "https://h.example.com",
  ...more,
});
const source = (more: JsonObject): JsonObject => ({ id: id(3), name: "Logs", kind: "log", connection: id(6), ...more });

/** Places of texts in records. */
const PLACES: readonly Place[] = [
  (text) => [
    "dashboards",
    dashboard({ displayType: "markdown", markdown: `# On call\n\nSee below.\n\n${text}\n\nThanks!` }),
  ],
  (text) => ["dashboards", dashboard({ configType: "sql", sqlTemplate: text })],
  (text) => ["dashboards", dashboard({ displayType: "search", where: text, whereLanguage: "sql" })],
  (text) => ["dashboards", dashboard({ displayType: "line" }, { savedQuery: text })],
  (text) => ["alerts", alert({ message: `It fires: ${text}` })],
  (text) => ["alerts", alert({ note: text })],
  (text) => ["webhooks", webhook({ description: text })],
  (text) => ["webhooks", webhook({ body: text })],
  (text) => ["sources", source({ querySettings: [{ setting: "log_comment", value: text }] })],
  (text) => ["pipes", { id: id(7), name: "Orders", source: { objectStorage: { path: text, compression: "gzip" } } }],
];

/** Puts a case into a record. The number chooses the place, so that consecutive numbers use all places in turn. */
export function embed(what: string | JsonObject, number: number): Specimen {
  const [name, body] =
    typeof what === "string" ? (PLACES[number % PLACES.length] as Place)(what) : membersIn(what, number);
  const kind = findKind(name);
  if (!kind) throw new Error(`there is no kind ${name}`);
  return { kind, body };
}

function membersIn(members: JsonObject, number: number): readonly [string, JsonObject] {
  const places: readonly (readonly [string, JsonObject])[] = [
    ["dashboards", dashboard({ displayType: "line", ...members })],
    ["alerts", alert({ extra: members })],
    ["webhooks", webhook({ options: [members] })],
    ["sources", source(members)],
    ["pipes", { id: id(7), name: "Orders", source: { queue: { ...members, topic: "orders" } } }],
  ];
  return places[number % places.length] as readonly [string, JsonObject];
}
