import type { Only, Rule, Topic } from "../rule.ts";

const FORBIDDEN = { status: 403, refused: "Forbidden" } as const;

/** Returns the rule that a key without the right to a list is answered 403, and not as if the list were not there. */
function unread(only: Only, request: string, recorded: readonly number[] = []): Rule {
  return {
    rule: `${request} with a ${only} key`,
    only,
    request,
    ...FORBIDDEN,
    ...(recorded.length > 0 && { recorded }),
  };
}

/** Rules for keys that may not do everything (docs/api.md#rights). */
export const rights: Topic = {
  topic: "rights",
  rules: [
    unread("self-hosted-limited", "GET dashboards", [108]),
    unread("self-hosted-limited", "GET alerts", [109]),
    ...["webhooks", "saved-searches", "connections"].map((word) => unread("self-hosted-limited", `GET ${word}`)),
    ...["dashboards", "alerts", "webhooks", "saved-searches"].map((word) => unread("managed-limited", `GET ${word}`)),
    // Pipes are beside the stack's other resources, and need a permission of their own.
    unread("managed-limited", "GET ../pipes"),
    ...(["self-hosted-limited", "managed-limited"] as const).map((only): Rule => ({
      rule: `a list for which a ${only} key has the right`,
      only,
      request: "GET sources",
      listed: "log",
    })),
  ],
};
