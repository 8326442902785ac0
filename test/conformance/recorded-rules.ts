import { recordedExchanges, type RecordedExchange } from "../support/recorded-exchanges.ts";
import { times, webhook, without } from "./bodies.ts";
import { differencesOf, isObject, isSame, memberAt } from "./compare.ts";
import { UPDATES } from "./recorded-updates.ts";
import type { FullRule, Given, Json, JsonObject, Only } from "./rule.ts";

/** Ranges of recordings whose creates become rules as they are. */
const CREATES = [
  [203, 203],
  [307, 318],
  [350, 384],
  [432, 448],
  [600, 624],
  [710, 723],
  [830, 884],
  [910, 971],
  [990, 1018],
  [1025, 1045],
  [1065, 1084],
  [1100, 1160],
  [1176, 1180],
  [1188, 1188],
  [1424, 1435],
  [1439, 1457],
  [1470, 1504],
  [2000, 2011],
  [2052, 2086],
  [2112, 2120],
  [2127, 2129],
] as const;
/** Ranges of recordings that request a missing route or a missing page. */
const NOT_THERE = [
  [7, 7],
  [545, 548],
  [551, 552],
  [554, 555],
  [1181, 1182],
  [1187, 1187],
  [1199, 1207],
  [1214, 1217],
  [1222, 1225],
] as const;
/** Matches an id in the body of a create that is neither made up nor stands for a record in world.ts. */
const UNNAMED = /(?<![0-9a-f])(?!0{20}|0123456789abcdef|a{24})[0-9a-f]{24}(?![0-9a-f])/;

/** For recordings that do not hold on every stack: the stacks on which their rule is tried. */
const ONLY: Partial<Record<Only, readonly number[]>> = {
  "self-hosted": [
    203, 307, 308, 309, 310, 311, 312, 313, 314, 315, 316, 317, 318, 351, 353, 355, 357, 376, 380, 610, 832, 834, 845,
    631, 633, 638, 643, 668, 681, 685, 689, 923, 926, 1030, 1032, 1034, 1036, 1037, 1041, 1042, 1044, 1045, 1077, 1082,
    1176, 1177, 1178, 1179, 1180, 1188, 1429, 1434, 1482, 1500, 1501, 1267, 1268, 1269, 1270, 1271, 1272, 1273, 1274,
    1278, 1282, 1284, 1288, 1294, 2000, 2001, 2002, 2003, 2005, 2007, 2008, 2009, 2010, 2011, 2052, 2053, 2054, 2055,
    2056, 2057, 2062, 2063, 2064, 2065, 2066, 2067, 2068, 2069, 2070, 2072, 2074, 2075, 2076, 2077, 2078, 2084, 2114,
    2116, 2117, 2118, 673, 674, 676, 677, 678, 679, 680, 724, 725, 726, 727, 710, 711, 712, 713, 714, 715, 716, 717,
    718, 719, 720, 721, 722, 723, 945, 948, 949, 950, 951, 952, 953, 954, 955, 962, 965, 1478, 2112, 2113,
  ],
};

/** Creates that need a webhook with the name "On call" on the stack. */
const NAMED_ON_CALL: readonly number[] = [1139, 1140, 1141];
const ON_CALL: Given = [["first", "webhooks", webhook({ name: "On call" })]];

/** The ids in recorded requests, each with the record of world.ts that replaces it in a rule. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["6b0305fc80849b0e70d2bbcf", "connection"],
  ["6b0305fc80849b0e70d2bbd3", "log"],
  ["6b0305fc80849b0e70d2bbd7", "trace"],
  ["6b0305fc80849b0e70d2bbdb", "metric"],
  ["6b0305fc80849b0e70d2bbdf", "session"],
  ["6b03060d80849b0e70d2bc62", "log"],
  ["6b03060e80849b0e70d2bc6b", "trace"],
  ["6b05f897cf4fcae94a200195", "connection"],
  ["6b05f897cf4fcae94a200198", "second"],
  ["6b05f897cf4fcae94a20019c", "log"],
  ["6b05f897cf4fcae94a2001a0", "trace"],
  ["6b05f897cf4fcae94a2001a4", "metric"],
  ["6b05f897cf4fcae94a2001a8", "session"],
  ["6b05f897cf4fcae94a2001d0", "search"],
  ["6b05f913cf4fcae94a2003e7", "board"],
  ["6b05f913cf4fcae94a2003e6", "board.tiles.0.id"],
  ["6b05f945cf4fcae94a2005ae", "board"],
  ["6b05f945cf4fcae94a2005a3", "board.tiles.0.id"],
  ["6b05f8e0cf4fcae94a2002cc", "board"],
  ["6b05f8e0cf4fcae94a2002cb", "board.tiles.0.id"],
  ["6b05fb7fcf4fcae94a201341", "board"],
  ["6b05fa52cf4fcae94a200bbe", "log"],
  ["6b0b766d3af48ed34c4cde9b", "log"],
  ["6b0b766d3af48ed34c4cde9f", "trace"],
  ["6b0b861436cfb85c6e10a3fb", "connection"],
  ["6b0b861436cfb85c6e10a3ff", "log"],
  ["6b0b86a136cfb85c6e10ac18", "log"],
  ["6b0b881036cfb85c6e10acb3", "log"],
  ...times(12, hookName),
]);

function hookName(index: number): [id: string, name: string] {
  return [`6b05f897cf4fcae94a2001${(0xab + 3 * index).toString(16)}`, `hook${index}`];
}

/**
 * Returns a rule for each recorded write and its response, with names in place of ids. Leaves out recordings that a written
 * rule cites.
 */
export function recordedRules(written: ReadonlySet<number>): FullRule[] {
  const rules = recordedExchanges((number) => !written.has(number)).flatMap((exchange): FullRule[] => {
    const { number, request } = exchange;
    const isIn = ([first, last]: readonly [number, number, ...unknown[]]) => first <= number && number <= last;
    if (NOT_THERE.some(isIn)) return [refusalRule(exchange)];
    const update = request.method === "PUT" && UPDATES.find(isIn);
    if (update) return [updateRule(exchange, update[2], update[3])];
    const rule = request.method === "POST" && CREATES.some(isIn) && createRule(exchange);
    return rule && !UNNAMED.test(JSON.stringify(rule.body)) ? [rule] : [];
  });
  return rules.map((rule) => ({ ...rule, replayed: true }));
}

function refusalRule({ number, name, topic, request, response }: RecordedExchange): FullRule {
  const path = String(withNames(request.path.replace("/api/v2/", "")));
  const { status } = response;
  const words = status === 400 ? { refused: String(memberAt(response.body as Json, "message")) } : {};
  return { rule: name, topic, request: `${request.method} ${path}`, recorded: [number], status, ...words };
}

function createRule(exchange: RecordedExchange): FullRule {
  const { number, request, response } = exchange;
  const echoes = echoesOf(exchange);
  return {
    ...ruleOf(exchange, withNames(request.body), withNames(response.body)),
    request: `POST ${request.path.replace("/api/v2/", "")}`,
    ...(NAMED_ON_CALL.includes(number) && { given: ON_CALL }),
    recorded: [number, ...echoes],
    ...(echoes.length > 0 && { echo: "kept" }),
  };
}

function updateRule(exchange: RecordedExchange, kind: string, stored: JsonObject): FullRule {
  const { number, request, response } = exchange;
  const gets = recordedExchanges((each) => each === number - 1 || each === number + 1);
  const same = gets.filter((each) => each.request.method === "GET" && each.request.path === request.path);
  const body = withOwnIds(published(withNames(request.body)));
  // A managed stack has one channel per alert, so an accepted alert is sent with the first channel only.
  const isAlert = response.status === 200 && isObject(body) && "channel" in body;
  return {
    ...ruleOf(exchange, body, published(withNames(response.body))),
    ...(isAlert && { body: without(body, "channels") }),
    given: [["record", kind, stored]],
    request: `PUT ${kind}/@record`,
    recorded: [number, ...same.map((each) => each.number)],
  };
}

function ruleOf({ number, name, topic, response }: RecordedExchange, body: Json, answer: Json) {
  const only = Object.entries(ONLY).find(([, numbers]) => numbers.includes(number))?.[0] as Only | undefined;
  const rule = { rule: name, topic, body, ...(only && { only }) };
  if (response.status === 400) return { ...rule, refused: String(memberAt(answer, "message")) };
  if (response.status !== 200) return { ...rule, status: response.status };
  return { ...rule, members: membersOf(body, memberAt(answer, "data") ?? answer) };
}

/** Returns a body without members that only self-hosted stacks have. */
function published(body: Json): Json {
  const text = JSON.stringify(body, (member, value: unknown) =>
    member === "orderByExpression" || (member === "valueExpression" && value === "") ? undefined : value,
  );
  return JSON.parse(text) as Json;
}

/** Replaces the ids of an update's tiles and filters by those of the record. */
function withOwnIds(body: Json): Json {
  if (!isObject(body)) return body;
  const named = ["tiles", "filters"].flatMap((member) => {
    const parts = body[member];
    return Array.isArray(parts) ? [[member, parts.map((part, index) => withOwnId(part, `${member}.${index}`))]] : [];
  });
  return { ...body, ...Object.fromEntries(named), ...("id" in body && { id: "@record" }) };
}

function withOwnId(part: Json, place: string): Json {
  return isObject(part) && UNNAMED.test(String(part["id"])) ? { ...part, id: `@record.${place}.id` } : part;
}

/**
 * Returns the members of the response that were neither sent nor defaults. The response to a validation is no record, so all
 * its members are returned.
 */
function membersOf(body: Json, answered: Json) {
  if (memberAt(answered, "valid") === undefined) return differencesOf(body, answered);
  return isObject(answered) ? answered : {};
}

/** Returns the recordings that read the created record and sent it back unchanged. */
function echoesOf({ request, response, number }: RecordedExchange): number[] {
  const made = memberAt(response.body as Json, "data");
  const path = `${request.path}/${String(memberAt(made, "id"))}`;
  const later = recordedExchanges((each) => each > number).filter((each) => each.request.path === path);
  const put = later.find((each) => each.request.method === "PUT");
  if (put === undefined || !isSame(put.request.body as Json, made)) return [];
  return later.filter((each) => each.number <= put.number).map((each) => each.number);
}

function withNames(value: unknown): Json {
  const text = JSON.stringify(value).replaceAll(/(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g, (id) => {
    const name = NAMES.get(id);
    return name === undefined ? id : `@${name}`;
  });
  return JSON.parse(text) as Json;
}
