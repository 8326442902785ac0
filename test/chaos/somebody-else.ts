import type { StackContent } from "../support/independent-check.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { repeatUntilComplete } from "./repeat-until-complete.ts";
import { SOMEBODY_ELSE, type LiveRecord, type ServerLog } from "./server-log.ts";

/** Changes that somebody else makes on the target between two processes. A number from 0 up to 1 chooses the record. */
export interface Meddling {
  readonly deleteAlert?: number;
  readonly deleteDashboard?: number;
  readonly changeAlert?: number;
}

/** Members of an alert that the server sets and that no request may contain. */
const SERVER_OWNED = ["id", "teamId", "state", "createdAt", "updatedAt", "createdBy"];
const ANSWER_MS = 10_000;

/**
 * Deletes and changes records of the target. Leaves alone records whose name is not unique on the target or at the source,
 * and dashboards to which others link, because an import does not repair links to a deleted dashboard.
 * @param before the source's records
 * @param changed gets the thresholds that were set, by the alert's name
 */
export async function meddle(
  sandbox: Sandbox,
  log: ServerLog,
  before: StackContent,
  { deleteAlert, deleteDashboard, changeAlert }: Meddling,
  changed: Map<string, number>,
): Promise<void> {
  const all = [...log.live.values()].toSorted((one, other) =>
    `${one.kind}${one.name}` < `${other.kind}${other.name}` ? -1 : 1,
  );
  const linked = linkedNames(before);
  const single = all.filter(
    ({ kind, name }) =>
      all.filter((each) => each.kind === kind && each.name === name).length === 1 &&
      before[kind].filter((each) => each["name"] === name).length === 1,
  );
  const alerts = single.filter(({ kind }) => kind === "alerts");
  const dashboards = single.filter(({ kind, name }) => kind === "dashboards" && !linked.has(name));
  const change = choose(alerts, changeAlert);
  if (change) changed.set(change.name, await changeThreshold(sandbox, change));
  for (const gone of [choose(alerts, deleteAlert), choose(dashboards, deleteDashboard)]) {
    if (!gone) continue;
    const owned = all.filter(({ dashboardId }) => dashboardId === gone.id);
    for (const { name } of [gone, ...owned]) changed.delete(name);
    await repeatUntilComplete(() => ask(sandbox, "DELETE", gone));
  }
}

/** Returns the names of the dashboards to which other dashboards link. */
function linkedNames({ dashboards }: StackContent): Set<string> {
  const links = dashboards.map((dashboard) => JSON.stringify({ ...dashboard, id: null }).toLowerCase());
  const isLinked = (id: unknown): boolean => links.some((text) => text.includes(String(id).toLowerCase()));
  return new Set(dashboards.filter(({ id }) => isLinked(id)).map(({ name }) => String(name)));
}

function choose(records: readonly LiveRecord[], at: number | undefined): LiveRecord | undefined {
  return at === undefined ? undefined : records[Math.floor(at * records.length)];
}

async function changeThreshold(sandbox: Sandbox, alert: LiveRecord): Promise<number> {
  const stored = await repeatUntilComplete(() => ask(sandbox, "GET", alert));
  const threshold = Number(stored["threshold"]) + 1000;
  const members = Object.entries(stored).filter(([name]) => !SERVER_OWNED.includes(name));
  // The end of a range must stay above its beginning.
  const range = typeof stored["thresholdMax"] === "number" ? { thresholdMax: stored["thresholdMax"] + 1000 } : {};
  await repeatUntilComplete(() => ask(sandbox, "PUT", alert, { ...Object.fromEntries(members), threshold, ...range }));
  return threshold;
}

/** Sends a request as somebody else. Throws if it fails; a delete of a missing record counts as done. */
async function ask(
  sandbox: Sandbox,
  method: string,
  { kind, id }: { readonly kind: string; readonly id?: string },
  body?: JsonObject,
): Promise<JsonObject> {
  const managed = sandbox.variant === "managed";
  const base = managed ? `${sandbox.stack}/obsstack/${kind}` : `${sandbox.stack}/api/v2/${kind}`;
  const key = Buffer.from(`${sandbox.keyId ?? ""}:${sandbox.keySecret ?? ""}`).toString("base64");
  const authorization = managed ? `Basic ${key}` : `Bearer ${sandbox.apiKey ?? ""}`;
  const headers = { authorization, "content-type": "application/json", [SOMEBODY_ELSE]: "1" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(id === undefined ? base : `${base}/${id}`, { method, headers, signal, ...sent });
  const text = await answer.text();
  if (method === "DELETE" && answer.status === 404) return {};
  if (!answer.ok) throw new Error(`${method} ${kind} answered ${answer.status}: ${text}`);
  const whole: unknown = text === "" ? {} : JSON.parse(text);
  const inner = isJsonObject(whole) ? whole[managed ? "result" : "data"] : undefined;
  return isJsonObject(inner) ? inner : {};
}

/** Creates a second alert with the same content as the stack's first one. */
export async function addTwin(sandbox: Sandbox): Promise<void> {
  const [alert = {}] = sandbox.stored().alerts as readonly JsonObject[];
  const members = Object.entries(alert).filter(([name]) => !SERVER_OWNED.includes(name));
  await ask(sandbox, "POST", { kind: "alerts" }, Object.fromEntries(members));
}
