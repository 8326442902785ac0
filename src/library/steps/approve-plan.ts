import { StackferryError } from "../../core/errors.ts";
import { isJsonObject, mapStrings } from "../../core/json.ts";
import { shortDigest, itemKey, type Plan, type PlanItem, type PlannedBody } from "../../core/plan/plan.ts";
import { ID_PATTERN, recordKey, splitKey, type RecordKey } from "../../core/records/record.ts";
import { digestPlan, type PlanDigest } from "../../import/plan/plan-digest.ts";
import type { RunWrite } from "../../journal/fold.ts";
import { knownKind } from "../../kinds/registry.ts";
import { childIdsOf } from "../../references/children.ts";
import { foldIds } from "../../references/known-ids.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import type { PreparedImport } from "./prepare-import.ts";
import { countWrites } from "./validate-plan.ts";

export async function digestOf({ identify, options, redact }: PreparedImport, plan: Plan): Promise<PlanDigest> {
  return digestPlan(plan, { ...options, redact, identify });
}

/**
 * Also approves the remaining writes of an interrupted run under the approved plan.
 * @param approved the given digest, or its first digits
 */
export async function approvedPlan(
  approved: string,
  present: PlanDigest,
  prepared: PreparedImport,
  plan: Plan,
): Promise<PlanDigest | undefined> {
  if (present.digest.startsWith(approved)) return present;
  const { lastBegin: begin } = prepared;
  if (begin?.plan === undefined || begin.writes === undefined || !begin.plan.startsWith(approved)) return undefined;
  const allowed = new Set(begin.writes);
  const rest = await digestOf(prepared, asBeforeRun(plan, begin.run, prepared));
  return rest.writes.every((write) => allowed.has(write)) ? { digest: begin.plan, writes: begin.writes } : undefined;
}

export function planChangedError(plan: Plan): StackferryError {
  const isEmpty = countWrites(plan) === 0;
  const hint = isEmpty
    ? "The plan as it is now writes nothing: another run has written it, what it would write was changed since and stays, or the flags are others."
    : `Read the plan as it is now: other flags make another plan, too. To carry it out: --plan ${shortDigest(plan.digest ?? "")}`;
  return new StackferryError("plan-changed", "the plan is not the approved one, so nothing was written", { hint });
}

/** Returns the plan as before the run's writes, except the items of records that somebody has changed since. */
function asBeforeRun(plan: Plan, run: number, { history, identify }: PreparedImport): Plan {
  const writes = new Map(history.writesOf(run).map((write) => [write.key, write]));
  const recovered = new Set(history.recovered.flatMap((entry) => (entry.type === "done" ? [entry.key] : [])));
  const writeOf = (key: RecordKey): RunWrite | undefined => writes.get(identify(key));
  const made = new Map(
    plan.ids.flatMap(({ space, from, to }) =>
      writeOf(recordKey(space, from))?.action === "create" ? [[foldIds(to), from] as const] : [],
    ),
  );
  const isFormer = ({ space, from, to }: Plan["ids"][number]): boolean => {
    const [kind = space, member] = space.split("/");
    if (member === undefined) return true;
    const write = writeOf(recordKey(kind, splitKey(from)[0]));
    return write === undefined || hadChild(write, to);
  };
  return {
    ...plan,
    items: plan.items.map((item) => firstWrite(item, writeOf(itemKey(item)), recovered)),
    ids: plan.ids.filter(isFormer),
    bodies: new Map([...plan.bodies].map(([key, body]) => [key, withFormerIds(body, made)])),
  };
}

function hadChild({ key, image }: RunWrite, id: string): boolean {
  return image !== undefined && childIdsOf({ kind: splitKey(key)[0], body: image.body }).has(foldIds(id));
}

/** @param recovered keys of writes without an answer; `content` of such a create may differ from the stored record */
function firstWrite(item: PlanItem, write: RunWrite | undefined, recovered: ReadonlySet<RecordKey>): PlanItem {
  const { replaces } = item;
  if (item.action !== "update" || replaces === undefined || write === undefined) return item;
  const { key, action, image, content } = write;
  const isAsLeft = recordFingerprint(knownKind(item.kind), replaces.body) === content;
  if (!isAsLeft && !(action === "create" && recovered.has(key))) return item;
  if (image !== undefined) return { ...item, replaces: { ...replaces, body: { ...image.body, id: replaces.id } } };
  const { targetId: _target, replaces: _replaced, parts: _parts, ...created } = item;
  return action === "create" ? { ...created, action } : item;
}

function withFormerIds({ desired, links }: PlannedBody, made: ReadonlyMap<string, string>): PlannedBody {
  const former = mapStrings(desired, (text) => text.replaceAll(ID_PATTERN, (id) => made.get(foldIds(id)) ?? id));
  return { desired: isJsonObject(former) ? former : desired, links };
}
