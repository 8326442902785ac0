import { board, tile, numberOf } from "../bodies.ts";
import type { Given, JsonObject, Topic } from "../rule.ts";
import { ABSENT, echo } from "../rule.ts";

const NO_LANGUAGE =
  "Body validation failed: savedQueryLanguage: savedQueryLanguage cannot be null when savedQuery is provided";

const SQL = { savedQuery: "Service = 'checkout'", savedQueryLanguage: "sql" };
const given: Given = [["dashboard", "dashboards", board(SQL)]];
/** An update that leaves the tile as it is. */
const update = (members: JsonObject) => ({
  given,
  request: "PUT dashboards/@dashboard",
  body: board({ tiles: [tile(numberOf(), { id: "@dashboard.tiles.0.id" })], ...members }),
});

/** The query of a dashboard and its language. */
export const savedQueries: Topic = {
  topic: "saved-queries",
  request: "POST dashboards",
  rules: [
    {
      rule: "an update with a query beside language null",
      recorded: [612],
      ...update({ savedQuery: "Service:checkout", savedQueryLanguage: null }),
      refused: NO_LANGUAGE,
    },
    { rule: "an update without both keeps both", recorded: [613], ...update({}), members: SQL },
    {
      rule: "an update with a query alone turns the language",
      recorded: [614],
      ...update({ savedQuery: "Service:cart" }),
      members: { savedQueryLanguage: "lucene" },
    },
    {
      rule: "an update with the language alone keeps the query",
      recorded: [615],
      ...update({ savedQueryLanguage: "lucene" }),
      members: { savedQuery: SQL.savedQuery },
    },
    {
      rule: "an update with language null alone keeps the query; then the record's own GET body is refused",
      recorded: [616, 617, 618, 619],
      ...update({ savedQueryLanguage: null }),
      members: { savedQuery: SQL.savedQuery },
      after: [
        { request: "PUT dashboards/@dashboard", body: echo("dashboard"), refused: NO_LANGUAGE },
        { request: "POST dashboards", body: echo("dashboard", { id: ABSENT }), refused: NO_LANGUAGE },
      ],
    },
    {
      rule: "an update with query null alone clears both",
      recorded: [620],
      ...update({ savedQuery: null }),
      members: { savedQueryLanguage: null },
    },
    {
      rule: "an update with query null beside a language",
      recorded: [621],
      ...update({ savedQuery: null, savedQueryLanguage: "lucene" }),
    },
    { rule: "an update with both null", recorded: [622], ...update({ savedQuery: null, savedQueryLanguage: null }) },
    {
      rule: "an update with the empty query alone keeps the language",
      recorded: [623],
      ...update({ savedQuery: "" }),
      members: { savedQueryLanguage: "sql" },
    },
  ],
};
