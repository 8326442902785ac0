import { Refusal } from "../errors.ts";
import type { SandboxRecord } from "../store/record.ts";
import { isObject, without } from "../store/record.ts";
import type { Webhook } from "../schema/webhook.ts";
import { checkWebhookUrl, webhookSchema } from "../schema/webhook.ts";
import type { Call, Route, Stack } from "./route.ts";
import { bodyOf, checkId, existing, isoNow, pageOf } from "./route.ts";

/** Webhooks: a paged list, create, update and delete, on both variants; there is no get. */
export function webhookRoutes(stack: Stack): readonly Route[] {
  const { webhooks } = stack.store;
  const list = ({ query }: Call) => pageOf(webhooks, query, visible);
  return [
    { method: "GET", path: "webhooks", writes: false, handle: list },
    { method: "POST", path: "webhooks", writes: true, handle: (call) => shown(create(stack, call)) },
    { method: "PUT", path: "webhooks/:id", writes: true, handle: (call) => shown(update(stack, call)) },
    { method: "DELETE", path: "webhooks/:id", writes: true, handle: (call) => remove(stack, call) },
  ];
}

function shown(webhook: SandboxRecord) {
  return { is: "record", record: visible(webhook) } as const;
}

/** Headers and query parameters are never shown, a body on the generic service alone (recordings 404, 405). */
function visible(webhook: SandboxRecord): object {
  return without(webhook, ["headers", "queryParams", ...(webhook["service"] === "generic" ? [] : ["body"])]);
}

function create(stack: Stack, call: Call): SandboxRecord {
  const sent = bodyOf(stack, webhookSchema, call);
  checkWebhookUrl(sent);
  const id = stack.ids.id();
  checkUnique(stack, sent, id);
  const at = isoNow(stack);
  return keep(stack, sent, { id, createdAt: at, updatedAt: at });
}

/**
 * What is left out is cleared, but headers and query parameters stay as long as address and service do (recordings 420
 * to 423).
 */
function update(stack: Stack, call: Call): SandboxRecord {
  const { id } = call;
  checkId(stack, id);
  const sent = bodyOf(stack, webhookSchema, call);
  const { url, service, headers, queryParams, createdAt } = existing(stack, "webhooks", id);
  checkWebhookUrl(sent);
  checkUnique(stack, sent, id);
  const hidden = sent.url === url && sent.service === service ? { headers, queryParams } : {};
  return keep(stack, { ...hidden, ...sent }, { id, createdAt, updatedAt: isoNow(stack) });
}

/** Refused while an alert has it as its first channel; a second one does not count (recordings 487 to 489). */
function remove(stack: Stack, { id }: Call) {
  existing(stack, "webhooks", id);
  const uses = [...stack.store.alerts.values()].filter((alert) => firstWebhook(alert) === id).length;
  if (uses > 0) {
    const advice = "Reassign or remove those alerts first.";
    throw new Refusal(409, `Cannot delete webhook: ${uses} alert(s) still reference it. ${advice}`);
  }
  stack.store.webhooks.delete(id);
  return { is: "deleted" } as const;
}

function firstWebhook(alert: SandboxRecord): unknown {
  const { channel, channels } = alert;
  const first: unknown = channel ?? (Array.isArray(channels) ? channels[0] : undefined);
  return isObject(first) ? first["webhookId"] : undefined;
}

function checkUnique({ store }: Stack, { name, service }: Webhook, own: string): void {
  const isTaken = [...store.webhooks.values()].some(
    (other) => other.id !== own && other["name"] === name && other["service"] === service,
  );
  if (isTaken) throw new Refusal(400, "A webhook with this service and name already exists");
}

type Content = { readonly [Member in keyof Webhook]?: unknown };

/** The record in the server's order, what is never shown at the end. */
function keep(
  { store }: Stack,
  { name, service, url, description, body, headers, queryParams }: Content,
  { id, createdAt, updatedAt }: { readonly id: string; readonly createdAt: unknown; readonly updatedAt: string },
): SandboxRecord {
  const members = { id, name, url, description, updatedAt, createdAt, service, body, headers, queryParams };
  const given = Object.entries(members).filter(([, content]) => content !== undefined);
  const webhook = { id, ...Object.fromEntries(given) };
  store.webhooks.set(id, webhook);
  return webhook;
}
