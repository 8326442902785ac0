import pLimit from "p-limit";
import { IdMap } from "../../core/plan/id-map.ts";
import { messageWithHint, StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { Warning } from "../../core/outcome.ts";
import type { StackClient, ValidationVerdict } from "../../core/ports.ts";
import type { RecordKey, Variant } from "../../core/records/record.ts";
import { findKind, knownKind } from "../../kinds/registry.ts";
import { idsWithoutCounterpart } from "../ids-to-come.ts";
import { formOf, plannedBody, withIds, withoutLinks, type FormOptions } from "../write-body.ts";
import { warnOfDroppedMembers } from "../compare-answer.ts";
import { placeForPeople, readUnknownMembers, type UnknownMembers } from "../refusals.ts";
import { itemKey, type Plan, type PlanItem } from "../../core/plan/plan.ts";
import { idsIn } from "../../references/known-ids.ts";

export interface FindRefusalsInput extends FormOptions {
  readonly plan: Plan;
  readonly items: readonly PlanItem[];
  readonly client: StackClient;
  /** Collects members that the target refuses by name: records are written without them. */
  readonly unknown: UnknownMembers;
  readonly concurrency: number;
}

/** Each question leaves out the members that the last answer named. */
const MAX_QUESTIONS = 20;

const FATAL_ERRORS: readonly string[] = ["interrupted", "unauthorized"];

export function itemsToValidate({ items }: Plan, variant: Variant): PlanItem[] {
  return items.filter((item) => item.action === "create" && findKind(item.kind)?.routes[variant].validate);
}

/**
 * Writes nothing (docs/api.md#routes). A failure of the validation only causes a warning.
 * @throws StackferryError `interrupted`, `unauthorized`
 */
export async function findRefusals(
  input: FindRefusalsInput,
  { events, signal }: RunContext,
): Promise<{ readonly refused: ReadonlyMap<RecordKey, string>; readonly drops: readonly Warning[] }> {
  const { items, concurrency } = input;
  const ids = new IdMap(input.plan.ids);
  const refused = new Map<RecordKey, string>();
  const drops = new Map<RecordKey, readonly Warning[]>();
  let stopped: StackferryError | undefined;
  const validateItem = async (item: PlanItem): Promise<void> => {
    if (stopped !== undefined) return;
    try {
      const { refusal, dropped } = await verdictOn(item, { ...input, ids }, signal);
      drops.set(itemKey(item), dropped);
      if (refusal !== undefined) refused.set(itemKey(item), refusal);
    } catch (error) {
      if (!(error instanceof StackferryError)) throw error;
      stopped ??= error;
    }
  };
  const [first, ...others] = items;
  // The first question goes alone, so a missing route costs one request.
  if (first !== undefined) await validateItem(first);
  const limit = pLimit(concurrency);
  await Promise.all(others.map((item) => limit(() => validateItem(item))));
  if (stopped !== undefined) {
    if (FATAL_ERRORS.includes(stopped.code)) throw stopped;
    events({ type: "warning", warning: { code: "not-validated", message: messageOf(stopped) } });
  }
  return { refused, drops: items.flatMap((item) => drops.get(itemKey(item)) ?? []) };
}

async function verdictOn(
  item: PlanItem,
  { client, unknown, plan: { bodies, idsToCome }, ids, ...options }: FindRefusalsInput & { readonly ids: IdMap },
  signal: AbortSignal | undefined,
): Promise<{ readonly refusal: string | undefined; readonly dropped: readonly Warning[] }> {
  const kind = knownKind(item.kind);
  // A link to a missing record would hide other faults, so links to records of this run are left out.
  const scope = { ...item, later: [...item.dependsOn, ...item.linksTo] };
  const planned = plannedBody(item, bodies);
  const body = formOf(kind, withIds(planned, ids, idsToCome), scope, ids, options);
  const toCome = idsWithoutCounterpart(withoutLinks(planned, scope), idsToCome, ids);
  for (let questions = 1; ; questions += 1) {
    const { body: sent } = unknown.withoutUnknown(kind, body);
    const verdict = await client.validate(kind, sent, signal);
    const learned = unknown.addUnknown(kind, sent, unknownMembersIn(verdict));
    if (learned && questions < MAX_QUESTIONS) continue;
    const { normalized } = verdict;
    const dropped = normalized === undefined ? [] : warnOfDroppedMembers(kind, item.name, sent, normalized);
    return { refusal: refusalIn(verdict, toCome, (path) => placeForPeople(kind, sent, path)), dropped };
  }
}

function messageOf(error: StackferryError): string {
  const why =
    error.code === "not-offered"
      ? "the target does not offer to validate a record before it is created"
      : messageWithHint(error);
  return `the target cannot validate records before they are written: ${why}`;
}

/**
 * The server checks references last, one type after another, and names only the first fault, without a path (docs/api.md#dashboards).
 * @param toCome ids in the body that the target does not have yet, in lower case
 */
function refusalIn(
  { valid, errors }: ValidationVerdict,
  toCome: ReadonlySet<string>,
  describe: (path: string) => string,
): string | undefined {
  if (valid) return undefined;
  const faults = errors.filter(({ path }) => path !== "");
  if (faults.length > 0) return faults.map(({ path, message }) => `${describe(path)}: ${message}`).join("; ");
  const messages = errors.map(({ message }) => message).filter((message) => isFault(message, toCome));
  return messages.length === 0 ? undefined : messages.join("; ");
}

function unknownMembersIn({ valid, errors }: ValidationVerdict): readonly (readonly string[])[] {
  if (valid) return [];
  return errors.flatMap(({ path, message }) => readUnknownMembers(path === "" ? message : `${path}: ${message}`));
}

/** A message without ids may be about any reference, so the message counts only if no reference is pending. */
function isFault(message: string, toCome: ReadonlySet<string>): boolean {
  if (toCome.size === 0) return true;
  return idsIn(message).some((id) => !toCome.has(id));
}
