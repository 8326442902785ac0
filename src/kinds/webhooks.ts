import type { ResourceKind } from "../core/resource-kind.ts";
import { looseBody, text, textOf, withoutDefaults } from "./record-schema.ts";

const list = { method: "GET", path: "{stack}/webhooks" } as const;

/** Webhooks (contract 2.4; members as in the field notes and recordings). They can be listed, not written. */
export const webhooks: ResourceKind = {
  name: "webhooks",
  singular: "webhook",
  listing: "paged",
  // The contract lists webhooks on self-hosted only; newer managed deployments have the route (field notes, Lists).
  routes: { managed: { list: { ...list, optional: true } }, "self-hosted": { list } },
  schema: looseBody({ name: text, service: text, url: text, description: text, body: text }),
  nameOf: (body) => textOf(body, "name"),
  naturalKeys: [(body) => `${textOf(body, "service")}\n${textOf(body, "name")}`],
  references: [],
  children: [],
  inferred: [],
  secrets: [
    // A Slack incoming-webhook address is itself the credential (field notes, Secrets).
    { path: "url", rule: "webhook-url", keep: "origin" },
    { path: "headers", rule: "webhook-headers", keep: "nothing" },
    { path: "queryParams", rule: "webhook-query", keep: "nothing" },
  ],
  serverOwned: ["id", "createdAt", "updatedAt", "teamId"],
  refusedOnCreate: [],
  leaveOutWhen: [],
  labels: {},
  clearOnUpdate: {},
  comparable: (body) => withoutDefaults(body, {}),
  notReplayed: "the API offers no way to create a webhook; it is matched with one of the target's instead",
};
