import { ANY, type Topic } from "../rule.ts";

/** Rules for routes that do not belong to a kind of record. */
export const routes: Topic = {
  topic: "routes",
  rules: [
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
