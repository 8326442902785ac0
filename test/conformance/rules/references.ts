import {
  NOTHING,
  board,
  boardOf,
  tile,
  chart,
  numberOf,
  line,
  markdown,
  heatmap,
  rawSql,
  filter,
  without,
} from "../bodies.ts";
import type { JsonObject, Rule, Topic } from "../rule.ts";

const mismatch = { sourceId: "@log" };

/** A tile for each fault that a reference can have, in the reverse of the order in which they are told, and the tile without it. */
const TILES: readonly (readonly [fault: string, faulty: JsonObject, mended: JsonObject, refused: string])[] = [
  [
    "onClick source",
    chart("table", { onClick: { type: "search", target: { mode: "id", id: "@metric" } } }),
    chart("table"),
    "The following onClick search source IDs are not log or trace sources: @metric",
  ],
  [
    "onClick dashboard",
    chart("table", { onClick: { type: "dashboard", target: { mode: "id", id: NOTHING } } }),
    chart("table"),
    "Could not find the following onClick dashboard IDs: @nothing",
  ],
  [
    "formula",
    line({ sourceId: "@session", formulas: [{ expression: "A" }] }),
    line({ formulas: [{ expression: "A" }] }),
    "Tiles with formulas require a Metric, Log, or Trace source. The following source IDs are not formula-capable: @session",
  ],
  [
    "heatmap",
    chart("heatmap", { select: [{ valueExpression: "x" }] }),
    heatmap({ valueExpression: "x" }),
    "Heatmap tiles require a Trace source. The following source IDs are not Trace sources: @log",
  ],
  [
    "source of another connection",
    rawSql("number", "SELECT 1", { ...mismatch, connectionId: "@second" }),
    rawSql("number", "SELECT 1", mismatch),
    "The following source IDs do not match the specified connections: @log",
  ],
  [
    "connection",
    rawSql("number", "SELECT 1", { connectionId: NOTHING }),
    rawSql("number"),
    "Could not find the following connection IDs: @nothing",
  ],
  ["source", numberOf({ sourceId: NOTHING }), numberOf(), "Could not find the following source IDs: @nothing"],
];
const FAULTS = TILES.map(([fault]) => fault).toReversed();

/** The rules of dashboards with fewer and fewer of these faults: the first that is left is told. */
const FAULTS_LEFT: readonly Rule[] = [
  {
    rule: `faults left: container, ${FAULTS.join(", ")}`,
    recorded: [1470],
    body: board({
      tiles: [
        ...TILES.map(([, faulty], index) => tile(faulty, { y: 21 - index * 3 })),
        tile(markdown(), { y: 0, containerId: "gone" }),
      ],
    }),
    refused: 'tiles.7.containerId: Tile references unknown containerId "gone"',
  },
  ...TILES.map((_, mended): Rule => {
    const left = TILES.length - mended;
    return {
      rule: `faults left: ${FAULTS.slice(mended).join(", ")}`,
      recorded: [1471 + mended],
      body: boardOf(...TILES.map(([, faulty, clean], index) => (index < left ? faulty : clean)), markdown()),
      refused: TILES[left - 1]?.[3],
    };
  }),
  {
    rule: "faults left: none",
    only: "newer",
    recorded: [1478],
    body: boardOf(...TILES.map(([, , mended]) => mended), markdown()),
  },
];

/** References that are checked, and in which order. */
export const references: Topic = {
  topic: "references",
  request: "POST dashboards",
  rules: [
    ...FAULTS_LEFT,
    {
      rule: "two unknown sources in tiles and one in a filter: Could not find the following source IDs: 000000000000000000000000, 000000000000000000000001, 000000000000000000000002",
      recorded: [1479],
      body: board({
        tiles: [
          tile(numberOf({ sourceId: NOTHING })),
          tile(numberOf({ sourceId: "000000000000000000000001" }), { y: 0 }),
        ],
        filters: [filter({ name: "S", expression: "S", sourceId: "000000000000000000000002" })],
      }),
      refused: "Could not find the following source IDs: @nothing, 000000000000000000000001, 000000000000000000000002",
    },
    {
      rule: "an unknown source and no name: Body validation failed: name: Required",
      recorded: [1480],
      body: without(boardOf(numberOf({ sourceId: NOTHING })), "name"),
      refused: "Body validation failed: name: Required",
    },
    {
      rule: "unknown ids in appliesToSourceIds",
      recorded: [1481],
      body: board({
        tiles: [],
        filters: [filter({ name: "S", expression: "S", appliesToSourceIds: [NOTHING, "not-an-id"] })],
      }),
    },
  ],
};
