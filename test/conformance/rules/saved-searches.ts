import { NOTHING } from "../bodies.ts";
import type { Topic } from "../rule.ts";
import { ABSENT } from "../rule.ts";

const FULL = {
  name: "Checkout errors",
  sourceId: "@log",
  select: "Timestamp,ServiceName,Body",
  where: "SeverityText:error",
  whereLanguage: "lucene",
  orderBy: "Timestamp DESC",
  tags: ["lab", "prod"],
  filters: [{ type: "sql", condition: "ServiceName IN ('checkout')" }],
};

/** Saved searches: what a create takes. */
export const savedSearches: Topic = {
  topic: "saved-searches",
  request: "POST saved-searches",
  rules: [
    {
      rule: "full",
      recorded: [432],
      body: FULL,
    },
    { rule: "minimal", recorded: [433], body: { name: "min", sourceId: "@trace" } },
    { rule: "same name again", recorded: [434], body: { name: "min", sourceId: "@trace" } },
    {
      rule: "sql",
      recorded: [435],
      body: {
        name: "sql one",
        sourceId: "@log",
        where: "SeverityText = 'error'",
        whereLanguage: "sql",
        filters: [
          { condition: "Duration BETWEEN 1 AND 5" },
          { type: "sql", condition: "ServiceName NOT IN ('a', 'b')" },
        ],
      },
      members: { "filters.0.type": "sql" },
    },
    { rule: "on metric source accepted", recorded: [436], body: { name: "on metrics", sourceId: "@metric" } },
    {
      rule: "unknown members dropped",
      recorded: [437],
      body: {
        name: "unk",
        sourceId: "@log",
        nope: 1,
        id: NOTHING,
        teamId: NOTHING,
        source: NOTHING,
        createdAt: "2020-01-01T00:00:00.000Z",
      },
      members: { nope: ABSENT, source: ABSENT },
    },
    { rule: "duplicate tags kept", recorded: [438], body: { name: "tags", sourceId: "@log", tags: ["a", "a"] } },
    {
      rule: "unknown source",
      recorded: [439],
      body: { ...FULL, sourceId: NOTHING },
      refused: "sourceId must be an existing source id",
    },
    {
      rule: "bad source id",
      recorded: [440],
      body: { ...FULL, sourceId: "not-an-id" },
      refused: "Body validation failed: sourceId: Invalid ObjectId",
    },
    {
      rule: "empty name",
      recorded: [441],
      body: { ...FULL, name: " " },
      refused: "Body validation failed: name: String must contain at least 1 character(s)",
    },
    {
      rule: "no members",
      recorded: [442],
      body: {},
      refused: "Body validation failed: name: Required; sourceId: Required",
    },
    {
      rule: "null members",
      recorded: [443],
      body: { ...FULL, select: null, orderBy: null, tags: null, filters: null },
      refused:
        "Body validation failed: select: Expected string, received null; orderBy: Expected string, received null; tags: Expected array, received null; filters: Expected array, received null",
    },
    {
      rule: "bad language",
      recorded: [444],
      body: { ...FULL, whereLanguage: "promql" },
      refused:
        "Body validation failed: whereLanguage: Invalid enum value. Expected 'lucene' | 'sql', received 'promql'",
    },
    {
      rule: "long tag",
      recorded: [445],
      body: { ...FULL, tags: ["ttttttttttttttttttttttttttttttttt"] },
      refused: "Body validation failed: tags.0: String must contain at most 32 character(s)",
    },
    {
      rule: "filter not renderable",
      recorded: [446],
      body: { ...FULL, filters: [{ type: "sql", condition: "a = 1 OR b = 2" }] },
      refused:
        'filters[0] must be a sidebar-renderable SQL predicate (e.g. "<column> IN (\'<value>\', ...)", "NOT IN (...)", or "BETWEEN <n> AND <n>"). Other shapes are only accepted on update when preserved unchanged from the stored saved search.',
    },
    {
      rule: "filter lucene",
      recorded: [447],
      body: { ...FULL, filters: [{ type: "lucene", condition: "ServiceName:checkout" }] },
      refused:
        'filters[0] must be a sidebar-renderable SQL predicate (e.g. "<column> IN (\'<value>\', ...)", "NOT IN (...)", or "BETWEEN <n> AND <n>"). Other shapes are only accepted on update when preserved unchanged from the stored saved search.',
    },
    {
      rule: "filter sql ast",
      recorded: [448],
      body: { ...FULL, filters: [{ type: "sql_ast", operator: "=", left: "ServiceName", right: "'a'" }] },
      refused:
        'filters[0] must be a sidebar-renderable SQL predicate (e.g. "<column> IN (\'<value>\', ...)", "NOT IN (...)", or "BETWEEN <n> AND <n>"). Other shapes are only accepted on update when preserved unchanged from the stored saved search.',
    },
  ],
};
