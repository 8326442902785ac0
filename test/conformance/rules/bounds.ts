import { board, tile, markdown, times } from "../bodies.ts";
import type { Topic } from "../rule.ts";

/** Bounds of a dashboard. */
export const bounds: Topic = {
  topic: "bounds",
  request: "POST dashboards",
  rules: [
    {
      rule: "name of 1025 characters",
      recorded: [1439],
      body: board({ name: "n".repeat(1025), tiles: [tile(markdown())] }),
      refused: "Body validation failed: name: String must contain at most 1024 character(s)",
    },
    {
      rule: "51 tags",
      recorded: [1440],
      body: board({ tiles: [tile(markdown())], tags: times(51, (index) => `t${index}`) }),
      refused: "Body validation failed: tags: Array must contain at most 50 element(s)",
    },
    {
      rule: "a tag of 33 characters",
      recorded: [1441],
      body: board({ tiles: [tile(markdown())], tags: ["ttttttttttttttttttttttttttttttttt"] }),
      refused: "Body validation failed: tags.0: String must contain at most 32 character(s)",
    },
    { rule: 'a tag ""', recorded: [1442], body: board({ tiles: [tile(markdown())], tags: [""] }) },
    {
      rule: "x 24",
      recorded: [1443],
      body: board({ tiles: [tile(markdown(), { x: 24 })] }),
      refused: "Body validation failed: tiles.0.x: Number must be less than or equal to 23",
    },
    {
      rule: "w 25",
      recorded: [1444],
      body: board({ tiles: [tile(markdown(), { w: 25 })] }),
      refused: "Body validation failed: tiles.0.w: Number must be less than or equal to 24",
    },
    {
      rule: "h 0",
      recorded: [1445],
      body: board({ tiles: [tile(markdown(), { h: 0 })] }),
      refused: "Body validation failed: tiles.0.h: Number must be greater than or equal to 1",
    },
    {
      rule: "h 10000, y 100000",
      recorded: [1446],
      body: board({ tiles: [tile(markdown(), { y: 100000, h: 10000 })] }),
    },
    {
      rule: "x -1",
      recorded: [1447],
      body: board({ tiles: [tile(markdown(), { x: -1 })] }),
      refused: "Body validation failed: tiles.0.x: Number must be greater than or equal to 0",
    },
    {
      rule: "a tile id of 37 characters",
      recorded: [1448],
      body: board({ tiles: [tile(markdown(), { id: "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii" })] }),
      refused: "Body validation failed: tiles.0.id: String must contain at most 36 character(s)",
    },
    {
      rule: 'two tiles with the id ""',
      recorded: [1449],
      body: board({ tiles: [tile(markdown(), { id: "" }), tile(markdown(), { y: 0, id: "" })] }),
    },
    { rule: 'a tile with the name ""', recorded: [1450], body: board({ tiles: [tile(markdown(), { name: "" })] }) },
    {
      rule: "a tile without name",
      recorded: [1451],
      body: board({ tiles: [{ x: 0, y: 0, w: 6, h: 3, config: { displayType: "markdown", markdown: "x" } }] }),
      refused: "Body validation failed: tiles.0.name: Required",
    },
    {
      rule: "a tile without h",
      recorded: [1452],
      body: board({ tiles: [{ name: "x", x: 0, y: 0, w: 6, config: { displayType: "markdown", markdown: "x" } }] }),
      refused: "Body validation failed: tiles.0.h: Required",
    },
    {
      rule: "a saved filter value of 10001 characters",
      recorded: [1453],
      body: board({ tiles: [tile(markdown())], savedFilterValues: [{ type: "sql", condition: "c".repeat(10001) }] }),
      refused: "Body validation failed: savedFilterValues.0.condition: String must contain at most 10000 character(s)",
    },
    {
      rule: "a saved filter value of type lucene",
      recorded: [1454],
      body: board({ tiles: [tile(markdown())], savedFilterValues: [{ type: "lucene", condition: "x" }] }),
      refused: 'Body validation failed: savedFilterValues.0.type: Invalid literal value, expected "sql"',
    },
    {
      rule: "a saved filter value without type",
      recorded: [1455],
      body: board({ tiles: [tile(markdown())], savedFilterValues: [{ condition: "x" }] }),
      members: { "savedFilterValues.0.type": "sql" },
    },
    {
      rule: "name null",
      recorded: [1456],
      body: board({ name: null, tiles: [tile(markdown())] }),
      refused: "Body validation failed: name: Expected string, received null",
    },
    {
      rule: "501 tiles",
      recorded: [1457],
      body: board({ tiles: times(501, () => tile(markdown())) }),
      refused: "Body validation failed: tiles: Array must contain at most 500 element(s)",
    },
    {
      rule: "a fraction as x and w",
      only: "self-hosted",
      recorded: [203],
      body: board({ tiles: [tile(markdown(), { x: 0.5, w: 1.5 })] }),
    },
    {
      rule: "a fraction as y and h",
      recorded: [],
      body: board({ tiles: [tile(markdown(), { y: 0.5, h: 1.5 })] }),
      refused:
        "Body validation failed: tiles.0.y: Expected integer, received float; tiles.0.h: Expected integer, received float",
    },
  ],
};
