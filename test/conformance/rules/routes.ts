import { NOTHING } from "../bodies.ts";
import type { Rule, Topic } from "../rule.ts";
import { ANY } from "../rule.ts";

const WINDOW = { startTime: "2026-11-24T19:00:00.000Z", endTime: "2026-11-24T20:00:00.000Z" };

/** A path that only another method has, or nobody: a page of HTML. */
function page(recorded: number, method: string, path: string): Rule {
  return {
    rule: `${method} ${path} is no route`,
    recorded: [recorded],
    request: `${method} ${path}`,
    status: 404,
  };
}

function searchRefused(recorded: number, rule: string, body: Rule["body"], refused: string, status = 400): Rule {
  return {
    rule: `search: ${rule}`,
    recorded: [recorded],
    only: "self-hosted",
    request: "POST search",
    ...(body !== undefined && { body }),
    refused,
    status,
  };
}

/** What is served beside the records, and what is not. */
export const routes: Topic = {
  topic: "routes",
  rules: [
    searchRefused(
      1176,
      "a source that is not there",
      { sourceId: NOTHING, ...WINDOW },
      `Source not found: ${NOTHING}`,
      404,
    ),
    searchRefused(
      1177,
      "a source id that is none",
      { sourceId: "not-an-id" },
      "Body validation failed: sourceId: sourceId must be a valid ObjectId",
    ),
    searchRefused(
      1178,
      "an end before the start",
      { sourceId: "@log", startTime: WINDOW.endTime, endTime: WINDOW.startTime },
      "endTime must be greater than startTime",
    ),
    searchRefused(
      1179,
      "over 2,000 rows",
      { sourceId: "@log", maxResults: 2001 },
      "Body validation failed: maxResults: Number must be less than or equal to 2000",
    ),
    searchRefused(
      1180,
      "a second statement",
      { sourceId: "@log", select: "Body; SELECT 1" },
      "Body validation failed: select: select must not contain semicolons or SELECT subqueries; use column references, map lookups, or scalar functions only",
    ),
    page(1181, "GET", "search"),
    page(1182, "GET", "charts/series"),
    page(1187, "GET", "team/invitation"),
    page(545, "GET", "saved-search"),
    page(546, "POST", "saved-search"),
    page(547, "PUT", `saved-search/${NOTHING}`),
    page(548, "DELETE", `saved-search/${NOTHING}`),
    page(551, "PATCH", "connections/@connection"),
    page(552, "GET", "sources/@log/tables"),
    page(554, "DELETE", "webhooks"),
    page(555, "PUT", "saved-searches"),
    page(7, "GET", "webhooks/@hook0"),
    {
      rule: "the team",
      recorded: [1184, 301],
      only: "self-hosted",
      request: "GET team",
      members: { id: ANY, name: ANY },
    },
    {
      rule: "its members, whole and without meta",
      recorded: [1185, 302],
      only: "self-hosted",
      request: "GET team/members",
      members: { "records.0.id": ANY, "records.0.email": ANY, "records.0.isCurrentUser": ANY },
    },
    {
      rule: "its open invitations",
      recorded: [1186, 303],
      only: "self-hosted",
      request: "GET team/invitations",
      members: { records: ANY },
    },
  ],
};
