import { Refusal } from "../errors.ts";
import type { SandboxRecord } from "../store/record.ts";
import { idsIn, isObject } from "../store/record.ts";
import { keptDashboardSchema, newDashboardSchema } from "../schema/dashboard.ts";
import { inspect } from "../schema/parse.ts";
import { createdDashboard, updatedDashboard } from "../shapes/dashboard.ts";
import type { Store } from "../store/store.ts";
import { checkDashboardReferences } from "./references.ts";
import type { Call, Route, Stack } from "./route.ts";
import { bodyOf, checkId, existing } from "./route.ts";

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Dashboards: create, list, get, update, delete and validate, on both variants. */
export function dashboardRoutes(stack: Stack): readonly Route[] {
  const { store } = stack;
  const list = () => ({ is: "list", records: [...store.dashboards.values()] }) as const;
  const validate = (call: Call) => ({ is: "bare", body: verdictOn(stack, call.body) }) as const;
  return [
    { method: "GET", path: "dashboards", writes: false, handle: list },
    { method: "POST", path: "dashboards", writes: true, handle: (call) => record(create(stack, call)) },
    { method: "POST", path: "dashboards/validate", writes: false, handle: validate },
    {
      method: "GET",
      path: "dashboards/:id",
      writes: false,
      handle: ({ id }) => record(existing(stack, "dashboards", id)),
    },
    { method: "PUT", path: "dashboards/:id", writes: true, handle: (call) => record(update(stack, call)) },
    { method: "DELETE", path: "dashboards/:id", writes: true, handle: (call) => remove(stack, call) },
  ];
}

function record(dashboard: SandboxRecord) {
  return { is: "record", record: dashboard } as const;
}

function create(stack: Stack, call: Call): SandboxRecord {
  const sent = bodyOf(stack, newDashboardSchema(stack.variant), call);
  checkDashboardReferences(sent, stack);
  return keep(stack.store, createdDashboard(sent, stack.ids));
}

/** An alert goes with its tile, and whenever its tile is of a type that takes none (field notes, Dashboards and Alerts). */
function update(stack: Stack, call: Call): SandboxRecord {
  const { id } = call;
  const { store, ids } = stack;
  checkId(stack, id);
  const sent = bodyOf(stack, keptDashboardSchema(stack.variant), call);
  const current = existing(stack, "dashboards", id);
  checkDashboardReferences({ containers: current["containers"], ...sent }, stack);
  const dashboard = keep(store, updatedDashboard(current, sent, ids));
  const tiles: readonly unknown[] = Array.isArray(dashboard["tiles"]) ? dashboard["tiles"] : [];
  deleteTileAlerts(store, id, idsIn(tiles.filter(takesAlerts)));
  return dashboard;
}

/** An alert on a markdown tile can be created (recording 44), and is gone after the next update. */
function takesAlerts(tile: unknown): boolean {
  const config = isObject(tile) ? tile["config"] : undefined;
  return !isObject(config) || config["displayType"] !== "markdown";
}

/** Deleting what is not there is no fault (recording 76). */
function remove(stack: Stack, { id }: Call) {
  checkId(stack, id);
  stack.store.dashboards.delete(id);
  deleteTileAlerts(stack.store, id, new Set());
  return { is: "deleted" } as const;
}

/** What a create of the same body would be told. References are looked at where the schema holds (recording 513). */
function verdictOn(stack: Stack, body: unknown) {
  const invalid = (errors: readonly object[]) => ({ valid: false, errors, normalized: null });
  const parsed = inspect(newDashboardSchema(stack.variant), body);
  if (!parsed.ok) return invalid(parsed.faults);
  try {
    checkDashboardReferences(parsed.value, stack);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return invalid([{ path: "", message: error.message }]);
  }
  return { valid: true, errors: [], normalized: parsed.value };
}

function keep(store: Store, dashboard: SandboxRecord): SandboxRecord {
  // A document over 16 MB is refused with 500, not 413 (field notes, Envelopes and errors).
  if (Buffer.byteLength(JSON.stringify(dashboard)) > MAX_DOCUMENT_BYTES) {
    throw new Refusal(500, "Something went wrong :(");
  }
  store.dashboards.set(dashboard.id, dashboard);
  return dashboard;
}

function deleteTileAlerts(store: Store, dashboardId: string, remaining: ReadonlySet<string>): void {
  for (const alert of store.alerts.values()) {
    const isGone = alert["dashboardId"] === dashboardId && !remaining.has(String(alert["tileId"]));
    if (isGone) store.alerts.delete(alert.id);
  }
}
