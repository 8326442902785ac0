import { board, boardOf, line, table } from "../bodies.ts";
import type { Topic } from "../rule.ts";
import { ABSENT, echo } from "../rule.ts";

/** Links of a table. */
export const links: Topic = {
  topic: "links",
  request: "POST dashboards",
  rules: [
    {
      rule: "every form of onClick",
      recorded: [1424, 1425, 1426],
      echo: "kept",
      body: boardOf(
        table({
          onClick: {
            type: "search",
            target: { mode: "id", id: "@log" },
            whereTemplate: "x:{{Service}}",
            whereLanguage: "lucene",
            filters: [{ kind: "expressionTemplate", expression: "Service", template: "{{Service}}" }],
          },
        }),
        table({ onClick: { type: "search", target: { mode: "template", template: "{{Source}}" } } }),
        table({
          onClick: {
            type: "dashboard",
            target: { mode: "id", id: "@board" },
            filters: [{ kind: "expressionTemplate", expression: "Service", template: "{{Service}}" }],
            whereLanguage: "sql",
            whereTemplate: "Service = '{{Service}}'",
          },
        }),
        table({ onClick: { type: "dashboard", target: { mode: "template", template: "{{Service}} overview" } } }),
        table({ onClick: { type: "external", urlTemplate: "https://wiki.example.com/{{Service}}" } }),
      ),
    },
    {
      rule: "onClick null",
      recorded: [1427],
      body: boardOf(table({ onClick: null })),
      refused: "Body validation failed: tiles.0.config.onClick: Expected object, received null",
    },
    {
      rule: "onClick of an unknown type",
      recorded: [1428],
      body: boardOf(table({ onClick: { type: "popup" } })),
      refused:
        "Body validation failed: tiles.0.config.onClick.type: Invalid discriminator value. Expected 'search' | 'dashboard' | 'external'",
    },
    {
      rule: "external with an empty url",
      only: "self-hosted",
      recorded: [1429],
      body: boardOf(table({ onClick: { type: "external", urlTemplate: "" } })),
      refused:
        "Body validation failed: tiles.0.config.onClick.urlTemplate: String must contain at least 1 character(s)",
    },
    {
      rule: "external with a javascript url",
      recorded: [1430],
      body: boardOf(table({ onClick: { type: "external", urlTemplate: "javascript:alert(1)" } })),
    },
    {
      rule: "unknown members in onClick",
      recorded: [1431],
      body: boardOf(
        table({ onClick: { type: "external", urlTemplate: "https://wiki.example.com/{{Service}}", newWindow: true } }),
      ),
      members: { "tiles.0.config.onClick.newWindow": ABSENT },
    },
    {
      rule: "a target id that is no id",
      recorded: [1432],
      body: boardOf(table({ onClick: { type: "dashboard", target: { mode: "id", id: "no-id" } } })),
      refused: "Body validation failed: tiles.0.config.onClick.target.id: Invalid ObjectId",
    },
    {
      rule: "a filter of an unknown kind",
      recorded: [1433],
      body: boardOf(
        table({
          onClick: {
            type: "search",
            target: { mode: "id", id: "@log" },
            whereTemplate: "x:{{Service}}",
            whereLanguage: "lucene",
            filters: [{ kind: "value", expression: "a", template: "b" }],
          },
        }),
      ),
      refused:
        'Body validation failed: tiles.0.config.onClick.filters.0.kind: Invalid literal value, expected "expressionTemplate"',
    },
    {
      rule: "a filter with an empty template",
      only: "self-hosted",
      recorded: [1434],
      body: boardOf(
        table({
          onClick: {
            type: "search",
            target: { mode: "id", id: "@log" },
            whereTemplate: "x:{{Service}}",
            whereLanguage: "lucene",
            filters: [{ kind: "expressionTemplate", expression: "Service", template: "" }],
          },
        }),
      ),
      refused: "Body validation failed: tiles.0.config.onClick.filters.0.template: Template is required",
    },
    {
      rule: "onClick on a line",
      recorded: [1435],
      body: boardOf(line({ onClick: { type: "external", urlTemplate: "https://wiki.example.com/{{Service}}" } })),
      members: { "tiles.0.config.onClick": ABSENT },
    },
    {
      rule: "a link to a dashboard that is deleted stays, and the record's own GET body is refused",
      recorded: [1436, 1437, 1438],
      given: [
        ["target", "dashboards", board()],
        [
          "linking",
          "dashboards",
          boardOf(table({ onClick: { type: "dashboard", target: { mode: "id", id: "@target" } } })),
        ],
      ],
      request: "DELETE dashboards/@target",
      after: [
        { request: "GET dashboards/@linking", members: { "tiles.0.config.onClick.target.id": "@target" } },
        {
          request: "PUT dashboards/@linking",
          body: echo("linking"),
          refused: "Could not find the following onClick dashboard IDs: @target",
        },
      ],
    },
  ],
};
