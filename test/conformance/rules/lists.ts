import { alert, savedSearch } from "../bodies.ts";
import type { Given, Rule, Topic } from "../rule.ts";

/** Returns the rule that a list shows a record as its GET does. */
function same(kind: string, recorded: readonly number[], name: string, given: Given = []): Rule {
  return {
    rule: `${kind}: the list shows what a GET shows`,
    recorded,
    given,
    request: `GET ${kind}/@${name}`,
    as: name,
    after: [{ request: `GET ${kind}`, listed: name }],
    ...(kind === "connections" && { only: "self-hosted" as const }),
  };
}

/** Rules that compare lists with single records. */
export const lists: Topic = {
  topic: "lists",
  rules: [
    same("dashboards", [1151], "board"),
    same("alerts", [1152, 1153], "alert", [["alert", "alerts", alert({ note: "See the runbook" })]]),
    same("sources", [1154, 1155], "trace"),
    same("connections", [1156, 1157], "connection"),
    same("saved-searches", [1158, 1159], "saved", [["saved", "saved-searches", savedSearch({ tags: ["team-a"] })]]),
  ],
};
