import { z } from "zod";
import { Refusal } from "../http/envelope.ts";
import { requireRecord, orderMembers, recordRoutes, routeName, stampRecord, type Stack } from "./route.ts";
import { isObject, omitMembers, type SandboxRecord } from "../store.ts";
import { addMistake } from "../schema.ts";
import { BlockList, isIP } from "node:net";

/** There is no get of a single webhook (docs/api.md#webhooks). */
export const webhookRoutes = recordRoutes("webhooks", {
  schema: () => webhookSchema,
  record: webhookRecord,
  remove,
  visible,
}).filter((route) => routeName(route) !== "GET webhooks/{id}");

const ORDER = "name url description updatedAt createdAt service body headers queryParams";

// oxlint-disable-next-line no-control-regex -- control characters are what names and values must not hold.
const CONTROL = /[\u0000-\u001F\u007F]/;
const HEADER_NAME = /^[\w!#$%&'*+\-.^`|~]+$/;
const HEADER_NAME_RULE = "Invalid header name. Only alphanumeric characters and !#$%&'*+-.^_`|~ are allowed";
const MAX_ENTRIES = 100;
const NOT_ON_SLACK = ["headers", "queryParams", "body"] as const;
const SERVICES = ["slack", "generic", "incidentio"] as const;
/** Only the web interface creates webhooks of these services; managed stacks list them. */
const MANAGED_SERVICES = ["slack_api", "pagerduty_api"];

/** In the order of reported mistakes. */
const webhookSchema = z
  .object({
    name: z.string().trim().min(1).max(1024),
    service: z.enum(SERVICES),
    url: z
      .string()
      .max(2048)
      .refine((text) => URL.canParse(text), "Invalid url"),
    description: z.string().max(2048).optional(),
    headers: texts("headers", (name, value) => [
      ...(name === "" ? ["Header name cannot be empty"] : []),
      ...(HEADER_NAME.test(name) ? [] : [HEADER_NAME_RULE]),
      ...(/^\d/.test(name) ? ["Header name cannot start with a number"] : []),
      ...(name.length > 256 ? ["String must contain at most 256 character(s)"] : []),
      ...(CONTROL.test(value) ? ["Header values cannot contain control characters"] : []),
    ]),
    queryParams: texts("query parameters", (name, value) => [
      ...(name === "" ? ["Query parameter name cannot be empty"] : []),
      ...(CONTROL.test(name) ? ["Query parameter names cannot contain control characters"] : []),
      ...(name.length > 1024 ? ["String must contain at most 1024 character(s)"] : []),
      ...(CONTROL.test(value) ? ["Query parameter values cannot contain control characters"] : []),
    ]),
    body: z.string().max(16_384).optional(),
  })
  .superRefine((webhook, context) => {
    if (webhook.service !== "slack") return;
    for (const member of NOT_ON_SLACK) {
      const message = `${member} is not supported for the slack webhook service`;
      if (webhook[member] !== undefined) addMistake(context, [member], message);
    }
  });

type Webhook = z.output<typeof webhookSchema>;

function texts(what: string, mistakesOf: (name: string, value: string) => readonly string[]) {
  return z
    .record(z.string(), z.string().max(4096))
    .superRefine((map, context) => {
      const entries = Object.entries(map);
      if (entries.length > MAX_ENTRIES)
        addMistake(context, [], `A webhook cannot have more than ${MAX_ENTRIES} ${what}`);
      for (const [name, value] of entries)
        for (const mistake of mistakesOf(name, value)) addMistake(context, [name], mistake);
    })
    .optional();
}

/** Headers and query parameters are never returned, a body only for the generic service. */
function visible(webhook: SandboxRecord, { variant }: Stack): object | undefined {
  const { service } = webhook;
  const services: readonly string[] = variant === "managed" ? [...SERVICES, ...MANAGED_SERVICES] : SERVICES;
  if (typeof service === "string" && !services.includes(service)) return undefined;
  return omitMembers(webhook, ["headers", "queryParams", ...(service === "generic" ? [] : ["body"])]);
}

/** Headers and query parameters that an update omits are kept if service and address stay the same. */
function webhookRecord(body: Webhook, stack: Stack, stored?: SandboxRecord): SandboxRecord {
  checkWebhookUrl(body);
  checkUnique(stack, body, stored?.id);
  const { url, service, headers, queryParams } = stored ?? body;
  const hiddenMembers = body.url === url && body.service === service ? { headers, queryParams } : {};
  const webhook = stampRecord({ ...hiddenMembers, ...body }, stack, stored);
  // The server's database cannot store names with a dot or a leading `$`.
  const names = [webhook["headers"], webhook["queryParams"]].flatMap((map) => Object.keys(map ?? {}));
  if (names.some((name) => name.includes(".") || name.startsWith("$"))) {
    throw new Refusal(500, "Something went wrong :(");
  }
  return orderMembers(ORDER, webhook);
}

/** A webhook cannot be deleted while it is the first channel of an alert. */
function remove(stack: Stack, id: string): void {
  requireRecord(stack, "webhooks", id);
  const uses = [...stack.store.alerts.values()].filter((alert) => firstWebhook(alert) === id).length;
  if (uses > 0) {
    const advice = "Reassign or remove those alerts first.";
    throw new Refusal(409, `Cannot delete webhook: ${uses} alert(s) still reference it. ${advice}`);
  }
  stack.store.webhooks.delete(id);
}

function firstWebhook(alert: SandboxRecord): unknown {
  const { channel, channels } = alert;
  const first: unknown = channel ?? (Array.isArray(channels) ? channels[0] : undefined);
  return isObject(first) ? first["webhookId"] : undefined;
}

function checkUnique({ store }: Stack, { name, service }: Webhook, webhookId: string | undefined): void {
  const isTaken = [...store.webhooks.values()].some(
    (other) => other.id !== webhookId && other["name"] === name && other["service"] === service,
  );
  if (isTaken) throw new Refusal(400, "A webhook with this service and name already exists");
}

/** Throws `Refusal` 400 (docs/api.md#webhooks). */
function checkWebhookUrl({ service, url }: { readonly service: string; readonly url: string }): void {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") throw new Refusal(400, "Webhook URL must use HTTP or HTTPS");
  if (service === "slack" && !/(?:^|\.)slack\.com$/i.test(hostname)) {
    throw new Refusal(400, `Slack Webhook URL ${url} does not have hostname that ends in 'slack.com'`);
  }
  if (isReserved(hostname.replace(/^\[|\]$/g, ""))) {
    throw new Refusal(400, "Webhook URL resolves to a private or reserved address.");
  }
}

const reserved = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  reserved.addSubnet(network, prefix, "ipv4");
}
reserved.addSubnet("::", 127, "ipv6");
reserved.addSubnet("fc00::", 7, "ipv6");
reserved.addSubnet("fe80::", 10, "ipv6");

// Names are not resolved.
function isReserved(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return /(?:^|\.)localhost$/i.test(host);
  return reserved.check(host, family === 4 ? "ipv4" : "ipv6");
}
