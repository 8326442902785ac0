import { board, tile, line, container, tabs, times } from "../bodies.ts";
import type { Topic } from "../rule.ts";

/** Containers, their tabs, and the tiles in them. */
export const containers: Topic = {
  topic: "containers",
  request: "POST dashboards",
  rules: [
    {
      rule: "two containers of one id",
      recorded: [990],
      body: board({ containers: [container(), container({ title: "Cart" })] }),
      refused: 'Body validation failed: containers.1.id: Container IDs must be unique: "group-a"',
    },
    {
      rule: "two containers of one title",
      recorded: [991],
      body: board({ containers: [container(), container({ id: "group-b" })] }),
    },
    {
      rule: "two tabs of one id in a container",
      recorded: [992],
      body: board({
        containers: [
          container({
            tabs: [
              { id: "t", title: "A" },
              { id: "t", title: "B" },
            ],
          }),
        ],
      }),
      refused: 'Body validation failed: containers.0.tabs.1.id: Duplicate tab id "t" in container "group-a"',
    },
    {
      rule: "one tab id in two containers",
      recorded: [993],
      body: board({ containers: [container({ tabs: tabs(2) }), container({ id: "group-b", tabs: tabs(2) })] }),
    },
    {
      rule: 'container id ""',
      recorded: [994],
      body: board({ containers: [container({ id: "" })] }),
      refused: "Body validation failed: containers.0.id: String must contain at least 1 character(s)",
    },
    {
      rule: "container id of 256 characters",
      recorded: [995],
      body: board({
        tiles: [tile(line(), { containerId: "i".repeat(256) })],
        containers: [container({ id: "i".repeat(256) })],
      }),
    },
    {
      rule: "container id of 257 characters",
      recorded: [996],
      body: board({ containers: [container({ id: "i".repeat(257) })] }),
      refused: "Body validation failed: containers.0.id: String must contain at most 256 character(s)",
    },
    {
      rule: 'container title ""',
      recorded: [997],
      body: board({ containers: [container({ title: "" })] }),
      refused: "Body validation failed: containers.0.title: String must contain at least 1 character(s)",
    },
    {
      rule: "container title of 257 characters",
      recorded: [998],
      body: board({ containers: [container({ title: "t".repeat(257) })] }),
      refused: "Body validation failed: containers.0.title: String must contain at most 256 character(s)",
    },
    {
      rule: "container without collapsed",
      recorded: [999],
      body: board({ containers: [{ id: "group-a", title: "Checkout" }] }),
      refused: "Body validation failed: containers.0.collapsed: Required",
    },
    {
      rule: "container without title",
      recorded: [1000],
      body: board({ containers: [{ id: "group-a", collapsed: false }] }),
      refused: "Body validation failed: containers.0.title: Required",
    },
    {
      rule: "collapsible null",
      recorded: [1001],
      body: board({ containers: [container({ collapsible: null })] }),
      refused: "Body validation failed: containers.0.collapsible: Expected boolean, received null",
    },
    {
      rule: "tabs null",
      recorded: [1002],
      body: board({ containers: [container({ tabs: null })] }),
      refused: "Body validation failed: containers.0.tabs: Expected array, received null",
    },
    {
      rule: 'tab id ""',
      recorded: [1003],
      body: board({ containers: [container({ tabs: [{ id: "", title: "A" }] })] }),
      refused: "Body validation failed: containers.0.tabs.0.id: String must contain at least 1 character(s)",
    },
    {
      rule: "tab id of 257 characters",
      recorded: [1004],
      body: board({ containers: [container({ tabs: [{ id: "i".repeat(257), title: "A" }] })] }),
      refused: "Body validation failed: containers.0.tabs.0.id: String must contain at most 256 character(s)",
    },
    {
      rule: 'tab title ""',
      recorded: [1005],
      body: board({ containers: [container({ tabs: [{ id: "t", title: "" }] })] }),
      refused: "Body validation failed: containers.0.tabs.0.title: String must contain at least 1 character(s)",
    },
    { rule: "20 tabs", recorded: [1006], body: board({ containers: [container({ tabs: tabs(20) })] }) },
    {
      rule: "21 tabs",
      recorded: [1007],
      body: board({ containers: [container({ tabs: tabs(21) })] }),
      refused: "Body validation failed: containers.0.tabs: Array must contain at most 20 element(s)",
    },
    {
      rule: "50 containers",
      recorded: [1008],
      body: board({ containers: times(50, (index) => container({ id: `g${index}` })) }),
    },
    {
      rule: "51 containers",
      recorded: [1009],
      body: board({ containers: times(51, (index) => container({ id: `g${index}` })) }),
      refused: "Body validation failed: containers: Array must contain at most 50 element(s)",
    },
    {
      rule: "a tile with tabId and no containerId",
      recorded: [1010],
      body: board({ tiles: [tile(line(), { tabId: "tab-0" })], containers: [container({ tabs: tabs(2) })] }),
      refused: "tiles.0.tabId: tabId requires containerId to be set",
    },
    {
      rule: "a tile with an unknown tabId",
      recorded: [1011],
      body: board({
        tiles: [tile(line(), { containerId: "group-a", tabId: "tab-9" })],
        containers: [container({ tabs: tabs(2) })],
      }),
      refused: 'tiles.0.tabId: Tile references unknown tabId "tab-9" in container "group-a"',
    },
    {
      rule: "a tabId in a container without tabs",
      recorded: [1012],
      body: board({ tiles: [tile(line(), { containerId: "group-a", tabId: "tab-0" })], containers: [container()] }),
      refused: 'tiles.0.tabId: Tile references unknown tabId "tab-0" in container "group-a"',
    },
    {
      rule: "a tile without tabId in a container with tabs",
      recorded: [1013],
      body: board({ tiles: [tile(line(), { containerId: "group-a" })], containers: [container({ tabs: tabs(2) })] }),
    },
    {
      rule: "a tile with an unknown containerId",
      recorded: [1014],
      body: board({ tiles: [tile(line(), { containerId: "group-x" })], containers: [container()] }),
      refused: 'tiles.0.containerId: Tile references unknown containerId "group-x"',
    },
    {
      rule: 'a tile with containerId ""',
      recorded: [1015],
      body: board({ tiles: [tile(line(), { containerId: "" })], containers: [container()] }),
      refused: "Body validation failed: tiles.0.containerId: String must contain at least 1 character(s)",
    },
    {
      rule: "a tile with containerId null",
      recorded: [1016],
      body: board({ tiles: [tile(line(), { containerId: null })], containers: [container()] }),
      refused: "Body validation failed: tiles.0.containerId: Expected string, received null",
    },
    {
      rule: "a tile with containerId and no containers",
      recorded: [1017],
      body: board({ tiles: [tile(line(), { containerId: "group-a" })] }),
      refused: 'tiles.0.containerId: Tile references unknown containerId "group-a"',
    },
    {
      rule: "container ids that differ by a blank",
      recorded: [1018],
      body: board({ containers: [container(), container({ id: "group-a " })] }),
    },
  ],
};
