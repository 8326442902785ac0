import { alert, savedSearch, times, webhook } from "../bodies.ts";
import type { Given, JsonObject, Rule, Topic } from "../rule.ts";

const NAMES = ["echo", "delta", "charlie", "bravo", "alpha"];
const KINDS: Readonly<Record<string, (name: string) => JsonObject>> = {
  alerts: (name) => alert({ name }),
  webhooks: (name) => webhook({ name: `Conformance ${name}` }),
  "saved-searches": (name) => savedSearch({ name }),
};
/** Number of records of each kind in world.ts. They come before the records of these rules. */
const BEFORE: Readonly<Record<string, number>> = { alerts: 0, webhooks: 12, "saved-searches": 1 };

const five = (kind: string): Given => NAMES.map((name) => [name, kind, KINDS[kind]?.(name) ?? {}]);

function page(
  kind: string,
  recorded: readonly number[],
  query: string,
  shown: readonly string[],
  meta: JsonObject,
): Rule {
  return {
    rule: `${kind}${query === "" ? " without parameters" : query}`,
    recorded,
    alone: true,
    given: five(kind),
    request: `GET ${kind}${query}`,
    members: {
      "records.length": shown.length,
      ...Object.fromEntries(shown.map((name, index) => [`records.${index}.id`, `@${name}`])),
      meta: { limit: 1000, offset: 0, ...meta },
      total: String(meta["total"]),
    },
  };
}

/** Returns rules for pages of a kind. Their offsets skip the records that exist before. */
function pages(kind: string, first: number): Rule[] {
  const before = BEFORE[kind] ?? 0;
  const total = before + NAMES.length;
  const from = (offset: number): string => `offset=${before + offset}`;
  const alone = before === 0 ? [] : [page(kind, [first], `?${from(0)}`, NAMES, { total, offset: before })];
  return [
    ...alone,
    page(kind, [first + 1], `?limit=2&${from(0)}`, ["echo", "delta"], { total, limit: 2, offset: before }),
    page(kind, [first + 2], `?${from(3)}`, ["bravo", "alpha"], { total, offset: before + 3 }),
    page(kind, [first + 3], "?limit=2&offset=50", [], { total, limit: 2, offset: 50 }),
  ];
}

const all = { total: NAMES.length };

/** Rules for pages of lists. Recorded requests for missing pages become rules in recorded-rules.ts. */
export const paging: Topic = {
  topic: "paging",
  rules: [
    page("alerts", [1195], "", NAMES, all),
    ...pages("alerts", 1195),
    ...pages("webhooks", 1210),
    ...pages("saved-searches", 1218),
    page("alerts", [1208], "?limit=1000", NAMES, all),
    page("alerts", [1209], "?page=2&sort=name", NAMES, all),
    {
      ...page("alerts", [1226], "?limit=2", [], all),
      rule: "alerts: a new name keeps the place",
      request: "PUT alerts/@echo",
      body: alert({ name: "zulu" }),
      members: {},
      after: [{ request: "GET alerts?limit=2", members: { "records.0.name": "zulu", "records.1.id": "@delta" } }],
    },
    {
      ...page("alerts", [1227, 1228, 1229, 1230], "", [], all),
      rule: "alerts: a deletion between two pages makes the next one skip a record",
      request: "DELETE alerts/@echo",
      members: {},
      after: [
        {
          request: "GET alerts?limit=2&offset=2",
          members: { "records.0.id": "@bravo", "records.1.id": "@alpha", "meta.total": 4 },
        },
        { request: "GET alerts?limit=2&offset=4", members: { records: [], "meta.total": 4 } },
      ],
    },
    {
      ...page("alerts", [1231, 1232, 1233, 1234], "", [], all),
      rule: "alerts: a creation between two pages comes last",
      request: "POST alerts",
      body: alert({ name: "new" }),
      members: {},
      after: [{ request: "GET alerts?limit=2&offset=4", members: { "records.1.id": "@it", "meta.total": 6 } }],
    },
    {
      rule: "dashboards ignore limit and offset",
      recorded: [1235, 1236],
      alone: true,
      request: "GET dashboards?limit=1&offset=1",
      members: { "records.length": 1, "records.0.id": "@board" },
      after: [{ request: "GET dashboards?limit=-1", members: { "records.0.id": "@board" } }],
    },
    {
      rule: "dashboards are listed by name, the last in byte order first",
      recorded: [1150],
      alone: true,
      given: times(4, (index) => ["Alpha", "Zulu", "alpha", "zulu"][index] ?? "").map(
        (name) => [`the${name}`, "dashboards", { name, tiles: [] }] as const,
      ),
      request: "GET dashboards",
      members: {
        "records.0.name": "zulu",
        "records.1.name": "alpha",
        "records.2.name": "Zulu",
        "records.3.name": "Conformance",
        "records.4.name": "Alpha",
      },
    },
  ],
};
