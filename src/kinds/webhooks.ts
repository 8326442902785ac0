import type { JsonObject } from "../core/json.ts";
import type { Refusal, ResourceKind } from "../core/resource-kind.ts";
import {
  looseBody,
  nameKeyOf,
  optionalText,
  textOfMember,
  withoutDefaults,
  collectionRoutes,
  createdOnRequest,
  plainKind,
} from "./descriptor-parts.ts";
import { webhookFile } from "./members/code-file-shapes.ts";
import { characters } from "./limits.ts";

// The API cannot read a single webhook (docs/api.md#routes).
const { get: _none, ...routes } = collectionRoutes("webhooks");

/** docs/api.md#webhooks. Self-hosted releases before 2.30 can only list webhooks (docs/api.md#routes). */
export const webhooks: ResourceKind = {
  ...plainKind,
  name: "webhooks",
  singular: "webhook",
  listing: "paged",
  // Older managed gateways do not list webhooks (docs/api.md#managed).
  routes: { managed: { ...routes, list: { ...routes.list, optional: true } }, "self-hosted": routes },
  schema: looseBody({
    name: optionalText,
    service: optionalText,
    url: optionalText,
    description: optionalText,
    body: optionalText,
  }),
  naturalKeys: [(body) => `${textOfMember(body, "service")}\n${nameKeyOf(body)}`],
  // A write of a Slack webhook accepts none of these members (docs/api.md#webhooks).
  writeOnly: [
    { path: "headers", rule: "webhook-headers", named: true, when: takesRequests },
    { path: "queryParams", rule: "webhook-query", named: true, when: takesRequests },
    { path: "body", rule: "webhook-body", when: ({ service }) => service === "incidentio" },
  ],
  secrets: [
    // The address of a Slack webhook is itself a credential (docs/api.md#webhooks).
    { path: "url", rule: "webhook-url", keep: "origin" },
    { path: "headers", rule: "webhook-headers", keep: "nothing" },
    { path: "queryParams", rule: "webhook-query", keep: "nothing" },
  ],
  serverOwned: ["id", "createdAt", "updatedAt", "teamId"],
  leaveOutWhen: ["description", "body"].map((path) => ({ path, is: null })),
  limits: [
    { path: "name", fit: characters(1024) },
    { path: "description", fit: characters(2048) },
    { path: "url", fit: characters(2048), fixed: true },
    { path: "body", fit: characters(16_384), fixed: true },
  ],
  texts: ["url", "body", "description"],
  code: {
    shape: webhookFile,
    toldBy: [["name", "service", "url"]],
    order: ["name", "service", "description", "url", "body"],
    defaults: {},
    namedBy: ["service", "name"],
  },
  comparable: comparableWebhook,
  rejectReason: refusedService,
  notHeld: ["bodies and headers that the web interface has given webhooks of the chat service"],
  importPolicy: createdOnRequest("webhook", "saved-searches"),
};

/** Managed stacks also return webhooks of other services, which no write creates (docs/api.md#webhooks). */
export const CREATABLE_SERVICES: readonly string[] = ["slack", "generic", "incidentio"];

function refusedService(body: JsonObject): Refusal | undefined {
  const service = textOfMember(body, "service");
  if (CREATABLE_SERVICES.includes(service)) return undefined;
  const message = `the API creates only webhooks of ${CREATABLE_SERVICES.join(", ")}, and this one is of "${service}"; create it by hand on the target under the same name`;
  return { code: "not-offered", message };
}

function takesRequests({ service }: JsonObject): boolean {
  return service === "generic" || service === "incidentio";
}

function comparableWebhook({ headers: _headers, queryParams: _query, body, ...others }: JsonObject): JsonObject {
  return withoutDefaults(others["service"] === "incidentio" ? others : { ...others, body }, {});
}
