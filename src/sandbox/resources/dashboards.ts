import { Refusal } from "../errors.ts";
import type { Call, Route, Stack } from "../routes/route.ts";
import { bodyOf, checkId, existing } from "../routes/route.ts";
import { inspect } from "../schema/parse.ts";
import { unknownMembers } from "../schema/unknown-members.ts";
import type { SandboxRecord } from "../store/record.ts";
import { isObject } from "../store/record.ts";
import type { Store } from "../store/store.ts";
import { createdDashboard, shownDashboard, updatedDashboard } from "./dashboard-records.ts";
import { checkDashboardReferences } from "./dashboard-references.ts";
import type { Container } from "./dashboard-schema.ts";
import { dashboardSchemas } from "./dashboard-schema.ts";

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Dashboards: create, list, get, update, delete and validate, on both variants (docs/api.md#dashboards). */
export function dashboardRoutes(stack: Stack): readonly Route[] {
  const list = () => ({ is: "list", records: byName(stack.store).map(shownDashboard) }) as const;
  const validate = (call: Call) => ({ is: "bare", body: verdictOn(stack, call.body) }) as const;
  const get = ({ id }: Call) => shown(existing(stack, "dashboards", id));
  return [
    { method: "GET", path: "dashboards", writes: false, handle: list },
    { method: "POST", path: "dashboards", writes: true, handle: (call) => shown(create(stack, call)) },
    { method: "POST", path: "dashboards/validate", writes: false, handle: validate },
    { method: "GET", path: "dashboards/:id", writes: false, handle: get },
    { method: "PUT", path: "dashboards/:id", writes: true, handle: (call) => shown(update(stack, call)) },
    { method: "DELETE", path: "dashboards/:id", writes: true, handle: (call) => remove(stack, call) },
  ];
}

function shown(dashboard: SandboxRecord) {
  return { is: "record", record: shownDashboard(dashboard) } as const;
}

/** The list is in descending order of names, compared by bytes (docs/api.md#lists). */
function byName({ dashboards }: Store): readonly SandboxRecord[] {
  const named = [...dashboards.values()].map((record) => ({ record, name: Buffer.from(String(record["name"])) }));
  return named.sort((left, right) => Buffer.compare(right.name, left.name)).map(({ record }) => record);
}

function create(stack: Stack, call: Call): SandboxRecord {
  const sent = bodyOf(stack, dashboardSchemas(stack.variant, stack.release).created, call);
  checkDashboardReferences(sent, stack);
  return keep(stack.store, createdDashboard(sent, stack.ids));
}

/**
 * Updates a dashboard. Members that the API never returns are overwritten or deleted, and an alert is deleted with its tile
 * (docs/api.md#tile-alerts).
 */
function update(stack: Stack, call: Call): SandboxRecord {
  const { id } = call;
  const { store, ids } = stack;
  checkId(stack, id);
  const sent = bodyOf(stack, dashboardSchemas(stack.variant, stack.release).kept, call);
  const current = existing(stack, "dashboards", id);
  const containers = Array.isArray(current["containers"]) ? current["containers"].filter(isContainer) : [];
  checkDashboardReferences({ containers, ...sent }, stack, tilesOf(current));
  const dashboard = keep(store, updatedDashboard(current, sent, ids));
  deleteTileAlerts(
    store,
    id,
    new Set(
      tilesOf(dashboard)
        .filter(keepsAlerts)
        .map((tile) => tile["id"]),
    ),
  );
  return dashboard;
}

function isContainer(value: unknown): value is Container {
  return isObject(value) && typeof value["id"] === "string";
}

function tilesOf({ tiles }: SandboxRecord) {
  return Array.isArray(tiles) ? tiles.filter(isObject) : [];
}

const KEEPING: ReadonlySet<unknown> = new Set(["line", "stacked_bar", "number"]);

/** An alert on a tile of another type can be created, but the next update deletes it. */
function keepsAlerts({ config }: ReturnType<typeof tilesOf>[number]): boolean {
  return isObject(config) && KEEPING.has(config["displayType"]);
}

/** Deletes a dashboard; succeeds if it does not exist. */
function remove(stack: Stack, { id }: Call) {
  checkId(stack, id);
  stack.store.dashboards.delete(id);
  deleteTileAlerts(stack.store, id, new Set());
  return { is: "deleted" } as const;
}

/** The result that a create of this body would have. References are only checked if the schema matches. */
function verdictOn(stack: Stack, body: unknown) {
  const invalid = (errors: readonly object[]) => ({ valid: false, errors, normalized: null });
  const parsed = inspect(dashboardSchemas(stack.variant, stack.release).created, body);
  if (!parsed.ok) return invalid(parsed.faults);
  const unknown = stack.strict ? unknownMembers(body, parsed.value) : [];
  if (unknown.length > 0) return invalid(unknown);
  try {
    checkDashboardReferences(parsed.value, stack);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return invalid([{ path: "", message: error.message }]);
  }
  return { valid: true, errors: [], normalized: parsed.value };
}

function keep(store: Store, dashboard: SandboxRecord): SandboxRecord {
  // A document over 16 MB is refused with 500, not 413.
  if (Buffer.byteLength(JSON.stringify(dashboard)) > MAX_DOCUMENT_BYTES) {
    throw new Refusal(500, "Something went wrong :(");
  }
  store.dashboards.set(dashboard.id, dashboard);
  return dashboard;
}

function deleteTileAlerts(store: Store, dashboardId: string, remaining: ReadonlySet<unknown>): void {
  for (const alert of store.alerts.values()) {
    const isGone = alert["dashboardId"] === dashboardId && !remaining.has(alert["tileId"]);
    if (isGone) store.alerts.delete(alert.id);
  }
}
