import { groupBy } from "../core/collections.ts";
import type { JsonObject } from "../core/json.ts";
import type { KindName, RecordKey, StackRecord } from "../core/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { JournalState } from "../journal/state.ts";
import { findKind, kinds } from "../kinds/registry.ts";
import type { Inventory } from "../matching/inventory.ts";
import { borrowSecrets, findPlaceholders } from "../redaction/placeholders.ts";
import { foldIds } from "../references/known-ids.ts";
import { recordFingerprint } from "../references/record-content.ts";
import { findReferences } from "../references/references.ts";

/** What is done with one record that the import wrote. */
export interface RollbackItem {
  readonly key: RecordKey;
  readonly kind: KindName;
  readonly sourceId: string;
  readonly name: string;
  readonly targetId: string;
  /** `update` puts back what the import replaced. */
  readonly action: "delete" | "update" | "skip";
  readonly code?: string;
  readonly message?: string;
  /** What is put back. */
  readonly previous?: JsonObject;
  /** What the target has now. */
  readonly current?: JsonObject;
}

/** What a rollback is planned from. */
export interface RollbackInput {
  readonly state: JournalState;
  readonly inventory: Inventory;
  /** Undo also what somebody has changed since. */
  readonly force: boolean;
}

/**
 * Plans the undoing of an import, in the order in which it is to be done: what points to others goes first. Pure. What
 * somebody has changed since, or has come to use, is left alone (`changed-since`, `in-use`) unless forced.
 */
export function planRollback(input: RollbackInput): RollbackItem[] {
  const written = [...journaled(input), ...lostCreates(input)];
  const doomed = new Set(
    written.filter(({ action }) => action === "delete").map(({ kind, targetId }) => `${kind} ${targetId}`),
  );
  const users = input.force ? new Map<string, string>() : usersThatStay(input.inventory, doomed);
  const items = written.map((item): RollbackItem => {
    const user = item.action === "delete" ? users.get(`${item.kind} ${item.targetId}`) : undefined;
    if (user === undefined) return item;
    const message = `${user} stays and points to it`;
    return { ...item, action: "skip", code: "in-use", message };
  });
  const position = (item: RollbackItem): number => kinds.findIndex((kind) => kind.name === item.kind);
  const deletes = items.filter(({ action }) => action === "delete").toSorted((a, b) => position(b) - position(a));
  const rest = items.filter(({ action }) => action !== "delete").toSorted((a, b) => position(a) - position(b));
  return [...deletes, ...rest];
}

function journaled({ state, inventory, force }: RollbackInput): RollbackItem[] {
  const byKind = new Map(
    [...inventory.kinds].map(([kind, { records }]) => [kind, groupBy(records, ({ id }) => foldIds(id))]),
  );
  return [...state.records].flatMap(([key, record]): RollbackItem[] => {
    const [name = ""] = key.split("/");
    const kind = findKind(name);
    if (!kind) return [];
    const [current] = byKind.get(name)?.get(foldIds(record.targetId)) ?? [];
    const item = {
      key,
      kind: name,
      sourceId: key.slice(name.length + 1),
      name: record.name,
      targetId: current?.id ?? record.targetId,
    };
    if (!current) return [{ ...item, action: "skip", code: "gone", message: "is no longer on the target" }];
    const digest = recordFingerprint(kind, current.body);
    if (record.previous && digest === recordFingerprint(kind, borrowSecrets(record.previous, current.body))) {
      return [{ ...item, action: "skip", code: "put-back", message: "is what it was before the import" }];
    }
    if (!force && digest !== record.content) {
      const message = "was changed on the target since the import; --force undoes it all the same";
      return [{ ...item, action: "skip", code: "changed-since", message }];
    }
    if (record.created) return [{ ...item, action: "delete", current: current.body }];
    if (record.previous && findPlaceholders(record.previous).length > 0) {
      const message =
        "held a secret, which the journal does not keep; put it back by hand, or from an archive with --fill";
      return [{ ...item, action: "skip", code: "redacted", message }];
    }
    if (record.previous) return [{ ...item, action: "update", previous: record.previous, current: current.body }];
    return [
      { ...item, action: "skip", code: "no-previous", message: "the journal does not hold what was there before" },
    ];
  });
}

/** Creates of which no end is known: their records are told by their content, where there are not more of it than creates. */
function lostCreates({ state, inventory }: RollbackInput): RollbackItem[] {
  const open = state.open.filter(({ write, content }) => write === "create" && content !== undefined);
  const known = new Set([...state.records.values()].map(({ targetId }) => foldIds(targetId)));
  return [...groupBy(open, ({ key, content }) => `${key.split("/")[0]} ${content}`).values()].flatMap((lost) => {
    const [first] = lost;
    const kind = first && findKind(first.key.split("/")[0] ?? "");
    if (!first || !kind) return [];
    const records = inventory.kinds.get(kind.name)?.records ?? [];
    const alike = records.filter(
      ({ id, body }) => !known.has(foldIds(id)) && recordFingerprint(kind, body) === first.content,
    );
    const tooMany = alike.length > lost.length;
    return alike.map((record, index): RollbackItem => lostItem(kind, record, (lost[index] ?? first).key, tooMany));
  });
}

function lostItem(kind: ResourceKind, record: StackRecord, key: RecordKey, tooMany: boolean): RollbackItem {
  const sourceId = key.slice(kind.name.length + 1);
  const item = { key, kind: kind.name, sourceId, name: record.name, targetId: record.id };
  if (!tooMany) return { ...item, action: "delete", current: record.body };
  const message = `may be what the import made, but more ${kind.name} of this content are there; delete the right one by hand`;
  return { ...item, action: "skip", code: "ambiguous", message };
}

/**
 * By record: what points to it and stays. A dashboard's alerts would be deleted with it by the server. What is kept because it
 * is in use keeps in turn what it points to.
 */
function usersThatStay(inventory: Inventory, doomed: ReadonlySet<string>): Map<string, string> {
  const users = new Map<string, string>();
  const records = kinds.flatMap((kind) =>
    (inventory.kinds.get(kind.name)?.records ?? []).map((record) => ({
      kind,
      record,
      key: `${kind.name} ${record.id}`,
    })),
  );
  const byKey = new Map(records.map((each) => [each.key, each]));
  const staying = records.filter(({ key }) => !doomed.has(key));
  for (let user = staying.pop(); user !== undefined; user = staying.pop()) {
    const { kind, record } = user;
    for (const reference of findReferences(kind, record.body, new Map())) {
      const to = reference.record?.replace("/", " ");
      if (to === undefined || users.has(to)) continue;
      users.set(to, `the ${kind.singular} "${record.name || record.id}"`);
      const used = byKey.get(to);
      if (used !== undefined && doomed.has(to)) staying.push(used);
    }
  }
  return users;
}
