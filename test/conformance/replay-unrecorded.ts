import { LOGS, addressOf, dashboardOf, shownBy, tileOf, type Item, type Kind, type State } from "./replay-records.ts";
import { recordedExchange } from "../support/recorded-exchanges.ts";

const CONNECTION_IN_USE = "6b03060d80849b0e70d2bc4c";
const CONNECTION_OF_TILE = "6b03067480849b0e70d2be44";
const SOURCE_IN_USE = "6b03063e80849b0e70d2be0a";
const SECOND_WEBHOOK = "6b03063d80849b0e70d2bdc2";
const CONNECTION = "6b05f897cf4fcae94a200195";

const RANGE = "WHERE Timestamp >= fromUnixTimestamp64Milli({startDateMilliseconds:Int64})";
/** Configurations of the raw SQL tiles to which the alerts of the recordings 885 to 894 belong. */
const RAW_SQL = [
  ["line", `SELECT count() FROM telemetry.logs ${RANGE}`],
  ["stacked_bar", "SELECT count() FROM telemetry.logs"],
  ["number", `SELECT count() FROM telemetry.logs ${RANGE}`],
  ["line", "SELECT $__timeInterval(Timestamp), count() FROM telemetry.logs WHERE $__timeFilter(Timestamp)"],
  ["line", "SELECT toStartOfInterval(Timestamp, INTERVAL {intervalSeconds:Int64} second), count() FROM telemetry.logs"],
  ["line", "SELECT $__timeInterval(Timestamp, count() FROM telemetry.logs"],
  ["line", ""],
  ["number", ""],
  ["table", `SELECT count() FROM telemetry.logs ${RANGE}`],
  ["pie", `SELECT count() FROM telemetry.logs ${RANGE}`],
] as const;

/**
 * The records before the first exchange of each stack, and unrecorded changes between exchanges. Each entry is applied before
 * the exchange of its number.
 */
export const SETUPS: Readonly<Record<number, (state: State) => void>> = {
  3(state) {
    for (const [kind, number] of [
      ["connections", 3],
      ["sources", 4],
      ["webhooks", 6],
      ["saved-searches", 8],
    ] as const) {
      state[kind].push(...shownBy(number));
    }
  },
  101(state) {
    // No recording lists these records, but the stack accepted writes that refer to them.
    const connection = "6b00df87a427fe6225b83526";
    state.sources.push({ id: "6b00df87a427fe6225b8352a", name: "Logs", kind: "log", connection });
    state.sources.push({ id: "6b00df87a427fe6225b8352e", name: "Traces", kind: "trace", connection });
    state.webhooks.push({ id: "6b00df87a427fe6225b8353e", name: "hook", service: "generic" });
    const [board] = shownBy(101);
    if (board === undefined) throw new Error("the recording is not as expected");
    const tiles = (board["tiles"] as Item[]).map(withSelectOfText);
    state.dashboards.push({ ...board, tiles });
  },
  102: (state) => state.alerts.push(...shownBy(102)),
  106: (state) => state.dashboards.push(...shownBy(106)),
  300(state) {
    state.connections.push(...shownBy(305));
    state.sources.push(...shownBy(382).slice(0, 5));
    state.webhooks.push(...shownBy(400));
  },
  334(state) {
    state.connections.push(connectionOf(CONNECTION_IN_USE));
    state.sources.push(...shownBy(335));
  },
  350(state) {
    state.sources = state.sources.filter(({ id }) => id !== shownBy(335)[0]?.id);
  },
  463: (state) => state["saved-searches"].push(...shownBy(463)),
  488: (state) =>
    state.webhooks.push({ id: SECOND_WEBHOOK, name: "second", url: "https://example.com/2", service: "generic" }),
  525(state) {
    state.sources.push({ id: SOURCE_IN_USE, ...without(shownBy(350)[0], "id"), name: "Used" }, ...shownBy(526));
    state["saved-searches"].push(...shownBy(527));
    state.dashboards.push(...shownBy(528));
    state.alerts.push(...shownBy(529), ...shownBy(530));
  },
  534(state) {
    state.connections.push(connectionOf(CONNECTION_OF_TILE));
    state.dashboards.push(recordedExchange(535).request.body as Item);
  },
  600(state) {
    state.connections.push(...shownBy(1156).slice(0, 2));
    state.sources.push(...shownBy(1154));
  },
  639: (state) => wroteAgain(state, 639),
  644: (state) => wroteAgain(state, 644),
  769: (state) => onRawSql(state, 769, "table"),
  770: (state) => onRawSql(state, 770, "pie"),
  771: (state) => onRawSql(state, 771, "bar"),
  772: (state) => watchedLine(state, 772, 773),
  774: (state) => watchedLine(state, 774, 775),
  776: (state) => watchedLine(state, 776, 777),
  778: (state) => watchedLine(state, 778, 779),
  783: (state) => watchedLine(state, 783, 784),
  785: (state) => watch(state, addressOf(recordedExchange(785)).id, "6b05f914cf4fcae94a20057e", 786),
  795(state) {
    state.dashboards.push(...shownBy(796));
  },
  830(state) {
    const tiles = RAW_SQL.map(([displayType, sqlTemplate], index) =>
      tileOf(`6b05f945cf4fcae94a2005a${(index + 4).toString(16)}`, {
        configType: "sql",
        displayType,
        connectionId: CONNECTION,
        sqlTemplate,
      }),
    );
    state.dashboards.push(dashboardOf("6b05f945cf4fcae94a2005ae", [tileOf("6b05f945cf4fcae94a2005a3"), ...tiles]));
  },
  1340(state) {
    const hidden = { service: "unknown", url: "https://hooks.example.com/hidden" };
    const [alpha, delta] = shownBy(1340);
    if (alpha === undefined || delta === undefined) throw new Error("the recording is not as expected");
    const bravo = { id: "6b05fbd5cf4fcae94a201478", name: "bravo", ...hidden };
    const [charlie] = shownBy(1345);
    state.webhooks = [
      alpha,
      bravo,
      { id: "6b05fbd5cf4fcae94a20147b", name: "charlie", createdAt: charlie?.["createdAt"], ...hidden },
      delta,
    ];
  },
  1348(state) {
    state.sources = [...shownBy(1348), { id: "", ...shownBy(1351)[0], name: "" }];
  },
  1352(state) {
    state.connections = shownBy(1352);
    const connection = without(shownBy(1156)[0], "username");
    state.connections.push({ ...connection, id: "6b05fbd5cf4fcae94a2014ab", name: "Hidden store" });
  },
  1355(state) {
    state.alerts = state.alerts.map((alert) =>
      alert.id === "6b05fbd5cf4fcae94a2014b4" ? { id: alert.id, ...without(alert, "channel", "channels") } : alert,
    );
  },
  1424: (state) => state.dashboards.push(dashboardOf("6b05fb7fcf4fcae94a201341", [])),
  ...planted(1370, { granularity: "5 minute" }),
  ...planted(1372, { where: "Region = 'eu'", whereLanguage: "sql" }),
  ...planted(1374, { filters: [{ type: "sql", condition: "Region IN ('eu')" }] }),
  ...planted(1376, { orderBy: [{ valueExpression: "Duration", ordering: "DESC" }] }),
  ...planted(1378, { groupBy: [{ valueExpression: "Service" }] }),
  ...planted(1380, { select: "count()" }),
  ...planted(1382, { select: [{ aggFn: "count", where: "", whereLanguage: "lucene", color: "chart-red" }] }),
  ...planted(1384, { alternateRowBackground: true }),
  ...planted(1386, {
    color: "chart-1",
    colorRules: [
      { operator: "gt", value: 1, color: "crimson" },
      { operator: "regex", value: "a", color: "chart-red" },
    ],
  }),
  ...planted(1388, { select: [{ aggFn: "quantile", level: 0.75, valueExpression: "Duration", where: "" }] }),
  ...planted(1390, { select: [{ aggFn: "count", level: 0.95, valueExpression: "Duration", where: "" }] }),
  ...planted(1392, { select: [{ aggFn: "entropy", valueExpression: "Duration", where: "" }] }),
  ...planted(1394, { select: [{}] }),
  ...planted(1396, { displayType: "gauge", select: [{ aggFn: "count", where: "", whereLanguage: "lucene" }] }),
  ...planted(1398, { displayType: undefined, select: [{ aggFn: "count", where: "", whereLanguage: "lucene" }] }),
  1400(state) {
    const [board] = shownBy(1400);
    const config = { configType: "promql", displayType: "line", connectionId: CONNECTION, promqlExpression: "up" };
    const hidden = { id: "6b05fb7e02c6ad79b29d4c9f", x: 0, y: 0, w: 6, h: 3, name: "Tile 0", config };
    if (board !== undefined) state.dashboards.push({ ...board, tiles: [hidden, ...(board["tiles"] as Item[])] });
  },
  ...planted(1402, { displayType: "search" }),
  ...planted(1404, {}, { containerId: "gone" }),
  ...planted(1406, {}, { containerId: "" }),
  ...planted(1408, {
    select: ["first", "second"].map((alias) => ({ alias, aggFn: "count", where: "", whereLanguage: "lucene" })),
  }),
  2000(state) {
    // No recording shows these sources, but the stack accepted tiles that refer to them.
    const connection = "6b0b766d3af48ed34c4cde97";
    state.sources.push({ id: "6b0b766d3af48ed34c4cde9b", name: "Logs", kind: "log", connection });
    state.sources.push({ id: "6b0b766d3af48ed34c4cde9f", name: "Traces", kind: "trace", connection });
  },
};

/** Recordings of lists that show more or fewer records than the recordings before them. */
export const LISTED: ReadonlySet<number> = new Set([
  795, 1150, 1152, 1154, 1156, 1158, 1195, 1210, 1218, 1226, 1235, 1491,
]);

const IN_SQL = { savedQuery: "Service = 'checkout'", savedQueryLanguage: "sql" };

/** The members of the webhook in the database before each of the updates 1300 to 1312. */
const SECRET = { headers: { "X-Team": "a" }, queryParams: { team: "a" } };
const REPLACED = "6b05facccf4fcae94a200f53";
const HOOK_UPDATES = Array.from({ length: 13 }, (_, index) => 1300 + index);

/** Members of a record before an update, if only the response to the update shows the record. */
export const BEFORE: Readonly<Record<number, object>> = {
  ...Object.fromEntries([612, 613, 615, 616, 620, 621, 622, 623].map((number) => [number, IN_SQL])),
  691: { scheduleOffsetMinutes: 14 },
  ...Object.fromEntries(HOOK_UPDATES.map((number) => [number, SECRET])),
  1315: { tags: ["team-a"] },
  1318: { filters: [serviceFilter("6b05facccf4fcae94a200fe0")] },
  1321: { savedFilterValues: [{ type: "sql", condition: "Service IN ('a')" }] },
  1324: { containers: [{ id: "g", title: "G", collapsed: false }] },
  1327: {
    tiles: [
      {
        id: "6b05facccf4fcae94a20104d",
        x: 0,
        y: 0,
        w: 6,
        h: 3,
        name: "T",
        config: { displayType: "markdown", markdown: "x" },
      },
    ],
  },
  1328: { filters: [serviceFilter("6b05facccf4fcae94a20105b")] },
  1329: { tags: ["team-a"] },
  1330: { name: "Put members" },
};

interface Hidden {
  readonly kind: Kind;
  readonly id: string;
  readonly holds: object;
}

const HOOK = "6b03060f80849b0e70d2bd01";
const OTHER_HOOK = "6b03060f80849b0e70d2bd04";
const HOOK_MAPS = { headers: { "X-Key": "example" }, queryParams: { team: "ops" } };
const OTHER_MAPS = { headers: { Authorization: "Bearer example" }, queryParams: { a: "b" } };
const NO_MAPS = { headers: undefined, queryParams: undefined };
const PASSWORD = hidden("connections", "6b03060c80849b0e70d2bc11", { password: "example-password" });

/**
 * Hidden members of a record after the exchange of this number. No response shows them, so they are compared with what the
 * sandbox stored.
 */
export const HIDDEN: Readonly<Record<number, Hidden>> = {
  307: PASSWORD,
  323: hidden("connections", "6b03060c80849b0e70d2bc32", { password: undefined }),
  324: PASSWORD,
  325: PASSWORD,
  327: PASSWORD,
  404: hidden("webhooks", HOOK, HOOK_MAPS),
  405: hidden("webhooks", OTHER_HOOK, { ...OTHER_MAPS, body: '{"title":"{{title}}"}' }),
  420: hidden("webhooks", HOOK, HOOK_MAPS),
  421: hidden("webhooks", HOOK, NO_MAPS),
  422: hidden("webhooks", OTHER_HOOK, { ...OTHER_MAPS, body: undefined }),
  423: hidden("webhooks", OTHER_HOOK, NO_MAPS),
  ...Object.fromEntries(HOOK_UPDATES.map((number) => [number, replaced(SECRET)])),
  1305: replaced({ ...SECRET, headers: {} }),
  1306: replaced({ ...SECRET, queryParams: {} }),
  1307: replaced({ ...SECRET, headers: { "X-Other": "b" } }),
  1309: replaced(NO_MAPS),
  1310: replaced(NO_MAPS),
};

function replaced(holds: object): Hidden {
  return hidden("webhooks", REPLACED, holds);
}

function hidden(kind: Kind, id: string, holds: object): Hidden {
  return { kind, id, holds };
}

/** A text that the stored dashboard holds before the update of this number, and no longer afterwards. No response shows it. */
export const WIPED: Readonly<Record<number, string>> = {
  1371: "5 minute",
  1373: "Region = 'eu'",
  1375: "Region IN ('eu')",
  1377: "DESC",
  1379: '[{"valueExpression":"Service"}]',
  1381: "count()",
  1383: "chart-red",
  1385: "alternateRowBackground",
  1387: "crimson",
  1389: '"level":0.75',
  1391: '"level":0.95',
  1393: "entropy",
  1397: "gauge",
  1401: "promql",
  1403: '"search"',
  1405: '"gone"',
  1409: '"second"',
};

/** Adds a dashboard before its GET, as the response shows it, with other members in its first tile. */
function planted(number: number, config: object, tile: object = {}): Record<number, (state: State) => void> {
  return {
    [number](state) {
      const [board] = structuredClone(shownBy(number));
      if (board === undefined) throw new Error("the recording is not as expected");
      const [first, ...others] = board["tiles"] as Item[];
      if (first === undefined) throw new Error("the recording is not as expected");
      const content = Object.fromEntries(
        Object.entries({ ...(first["config"] as object), ...config }).filter(([, each]) => each !== undefined),
      );
      state.dashboards.push({ ...board, tiles: [{ ...first, ...tile, config: content }, ...others] });
    },
  };
}

/** Adds a dashboard of line tiles before its update, and the alert that is read after the update. */
function watchedLine(state: State, update: number, after: number): void {
  const { id } = addressOf(recordedExchange(update));
  const { tiles } = recordedExchange(update).request.body as { readonly tiles: readonly Item[] };
  const [watched] = after === 784 ? tiles.slice(1) : tiles;
  state.dashboards.push(
    dashboardOf(
      id ?? "",
      tiles.map((tile) => tileOf(tile.id)),
    ),
  );
  watch(state, id, watched?.id, after);
}

/** Restores a select that was stored as a text: a series without a language is what the server shows in its place. */
function withSelectOfText(tile: Item): Item {
  const config = tile["config"] as { readonly select?: unknown };
  const isOwn = JSON.stringify(config.select) === JSON.stringify([{ aggFn: "count", where: "" }]);
  return isOwn ? { ...tile, config: { ...config, select: "count()" } } : tile;
}

function onRawSql(state: State, create: number, displayType: string): void {
  const { dashboardId, tileId } = recordedExchange(create).request.body as Readonly<Record<string, string>>;
  const config = { configType: "sql", displayType, connectionId: CONNECTION, sqlTemplate: "SELECT 1" };
  state.dashboards.push(dashboardOf(dashboardId ?? "", [tileOf(tileId ?? "", config)]));
}

function watch(state: State, dashboardId: string | undefined, tileId: string | undefined, after: number): void {
  const { id = "" } = addressOf(recordedExchange(after));
  const own = shownBy(773)[0];
  state.alerts.push({ ...own, ...shownBy(after)[0], id, dashboardId, tileId });
}

/** Gives an alert the recorded time of its update, because it was written once more without a recording. */
function wroteAgain(state: State, number: number): void {
  const [alert] = shownBy(number);
  state.alerts = state.alerts.map((each) =>
    each.id === alert?.id ? { ...each, updatedAt: alert["updatedAt"] } : each,
  );
}

function connectionOf(id: string): Item {
  return { id, name: "lab", host: "http://127.0.0.1:8123", username: "default" };
}

function without(record: Item | undefined, ...members: readonly string[]): object {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([name]) => !members.includes(name)));
}

function serviceFilter(id: string): object {
  const where = { whereLanguage: "sql", sourceId: LOGS };
  return { id, type: "QUERY_EXPRESSION", name: "Service", expression: "Service", ...where };
}
