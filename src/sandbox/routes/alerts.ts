import type { SandboxRecord } from "../store/record.ts";
import { alertSchema } from "../schema/alert.ts";
import { managedAlertSchema } from "../schema/managed-alert.ts";
import { alertShape, managedAlertShape } from "../shapes/alert.ts";
import type { Store } from "../store/store.ts";
import { checkAlertReferences } from "./references.ts";
import type { Call, Route, Stack } from "./route.ts";
import { bodyOf, checkId, existing, isoNow, pageOf } from "./route.ts";

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

function create(stack: Stack, call: Call): SandboxRecord {
  const at = isoNow(stack);
  const own = { id: stack.ids.id(), teamId: stack.identity.teamId, state: "OK", createdAt: at, updatedAt: at };
  return write(stack, call, () => own);
}

function update(stack: Stack, call: Call): SandboxRecord {
  checkId(stack, call.id);
  return write(stack, call, () => {
    const { id, teamId, state, createdAt } = existing(stack, "alerts", call.id);
    return { id, teamId, state, createdAt, updatedAt: isoNow(stack) };
  });
}

/** `ownOf` is asked after the body's schema and before its references. */
function write(stack: Stack, call: Call, ownOf: () => Parameters<typeof alertShape>[1]): SandboxRecord {
  if (stack.variant === "managed") {
    const alert = bodyOf(stack, managedAlertSchema, call);
    const own = ownOf();
    checkAlertReferences(alert, stack);
    return keep(stack.store, managedAlertShape(alert, own));
  }
  const alert = bodyOf(stack, alertSchema, call);
  const own = ownOf();
  checkAlertReferences(alert, stack);
  return keep(stack.store, alertShape(alert, own));
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
