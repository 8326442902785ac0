import { board, container, line, tabs, tile } from "../bodies.ts";
import type { Given, Json, Rule, Topic } from "../rule.ts";
import { ABSENT, echo } from "../rule.ts";

const WITH_TABS = container({ tabs: tabs(2) });
const given: Given = [
  [
    "dashboard",
    "dashboards",
    board({ tiles: [tile(line(), { containerId: "group-a", tabId: "tab-0" })], containers: [WITH_TABS] }),
  ],
];

function update(recorded: number, rule: string, containers: Json | typeof ABSENT, outcome: Partial<Rule>): Rule {
  return {
    rule,
    recorded: [recorded],
    given,
    request: "PUT dashboards/@dashboard",
    body: echo("dashboard", { containers }),
    ...outcome,
  };
}

/** Containers in an update, where a tile is in a tab of one. */
export const containerUpdates: Topic = {
  topic: "container-updates",
  rules: [
    update(1019, "containers left out", ABSENT, { members: { containers: [WITH_TABS] } }),
    update(1020, "no containers, the tile still in one", [], {
      refused: 'tiles.0.containerId: Tile references unknown containerId "group-a"',
    }),
    update(1021, "the tile's tab taken away", [container({ tabs: [{ id: "tab-1", title: "Tab 1" }] })], {
      refused: 'tiles.0.tabId: Tile references unknown tabId "tab-0" in container "group-a"',
    }),
    update(1022, "another id for the tile's container", [container({ id: "group-z", tabs: tabs(2) })], {
      refused: 'tiles.0.containerId: Tile references unknown containerId "group-a"',
    }),
    update(1023, "containers null", null, {
      refused: "Body validation failed: containers: Expected array, received null",
    }),
    update(1024, "no containers, the tile taken out", [], {
      body: echo("dashboard", { containers: [], "tiles.0.containerId": ABSENT, "tiles.0.tabId": ABSENT }),
      members: { containers: ABSENT, "tiles.0.containerId": ABSENT },
    }),
  ],
};
