import type { SandboxRecord } from "../record.ts";
import { alertSchema } from "../schema/alert.ts";
import { parse } from "../schema/parse.ts";
import { alertShape } from "../shapes/alert.ts";
import type { Store } from "../store.ts";
import { checkAlertReferences } from "./references.ts";
import type { Call, Route, Stack } from "./route.ts";
import { checkId, existing, isoNow, pageOf } from "./route.ts";

/** Alerts: create, list, get, update, delete, on both variants. */
export function alertRoutes(stack: Stack): readonly Route[] {
  const { store } = stack;
  return [
    { method: "GET", path: "alerts", writes: false, handle: (call) => pageOf(store.alerts, call.query) },
    { method: "POST", path: "alerts", writes: true, handle: (call) => record(create(stack, call)) },
    { method: "GET", path: "alerts/:id", writes: false, handle: ({ id }) => record(existing(stack, "alerts", id)) },
    { method: "PUT", path: "alerts/:id", writes: true, handle: (call) => record(update(stack, call)) },
    { method: "DELETE", path: "alerts/:id", writes: true, handle: (call) => remove(stack, call) },
  ];
}

function record(alert: SandboxRecord) {
  return { is: "record", record: alert } as const;
}

function create(stack: Stack, { body }: Call): SandboxRecord {
  const { variant, store, ids, identity } = stack;
  const alert = parse(alertSchema(variant), body, "Body");
  checkAlertReferences(alert, stack);
  const at = isoNow(stack);
  const own = { id: ids.id(), teamId: identity.teamId, state: "OK", createdAt: at, updatedAt: at };
  return keep(store, alertShape(alert, own));
}

function update(stack: Stack, { id, body }: Call): SandboxRecord {
  const { variant, store } = stack;
  checkId(stack, id);
  const alert = parse(alertSchema(variant), body, "Body");
  const { teamId, state, createdAt } = existing(stack, "alerts", id);
  checkAlertReferences(alert, stack);
  const own = { id, teamId, state, createdAt, updatedAt: isoNow(stack) };
  return keep(store, alertShape(alert, own));
}

function remove(stack: Stack, { id }: Call) {
  existing(stack, "alerts", id);
  stack.store.alerts.delete(id);
  return { is: "deleted" } as const;
}

function keep(store: Store, alert: SandboxRecord): SandboxRecord {
  store.alerts.set(alert.id, alert);
  return alert;
}
