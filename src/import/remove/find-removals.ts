import { groupBy } from "../../core/collections.ts";
import type { RecordState } from "../../core/plan/state.ts";
import type { Warning } from "../../core/outcome.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import type { KindName, RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { Removal } from "../../core/plan/plan.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { isReferenced, findKind, kinds } from "../../kinds/registry.ts";
import type { PlanOptions } from "../../matching/plan-options.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { Matching } from "../../matching/match-all.ts";
import { foldIds } from "../../references/known-ids.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import type { TransformNotes } from "../transform/transform-records.ts";
import type { MirrorBasis } from "./mirror-limits.ts";

/** The input of the search for removals. */
export interface RemovalBasis {
  readonly mirror: MirrorBasis;
  /** All records of the archive, including those that are not imported. */
  readonly records: readonly StackRecord[];
  readonly inventory: Inventory;
  readonly options: PlanOptions;
  readonly matching: Matching;
  readonly transformed: TransformNotes;
}

/** The target's records that the source no longer has. */
export interface FoundRemovals {
  readonly removals: readonly Removal[];
  readonly warnings: readonly Warning[];
}

/**
 * Finds the target's records that the source no longer has, if the state shows that an import wrote them and nobody has changed
 * them since. With the scope `all`, also finds every dashboard and alert of the target that is not in the archive. Does not check
 * whether other records use the found records. Sends no request.
 */
export function findRemovals(basis: RemovalBasis): FoundRemovals {
  const search = new RemovalSearch(basis);
  const removals = search.findAll();
  return { removals, warnings: search.warnings() };
}

/**
 * Tells whether a removal comes before all other writes. This holds for records that no kind references (alerts), because an update
 * may remove the tile of such an alert.
 */
export function isRemovedBeforeWrites({ kind: name }: Removal): boolean {
  const kind = findKind(name);
  return kind !== undefined && !isReferenced(kind, kinds);
}

/** A record of the target with its entry in the state. */
interface Candidate {
  readonly kind: ResourceKind;
  /** The id or key that the source had for the record. */
  readonly sourceId: string;
  readonly recordState: RecordState | undefined;
  readonly targetRecord: StackRecord | undefined;
}

class RemovalSearch {
  readonly #basis: RemovalBasis;
  readonly #inSource: ReadonlySet<string>;
  /**
   * `#paired`: the target's records that are matched with records of the archive. `#possible`: the target's records that may match
   * a record of the archive.
   */
  readonly #paired: ReadonlySet<string>;
  readonly #possible: ReadonlySet<string>;
  /** For each kind that the archive may not hold completely: the number of records that are therefore not deleted. */
  readonly #notDeleted = new Map<KindName, number>();

  constructor(basis: RemovalBasis) {
    const { records, mirror, matching } = basis;
    this.#basis = basis;
    this.#inSource = new Set(records.map(({ kind, id }) => mirror.identityOf(recordKey(kind, id))));
    this.#paired = new Set(
      [...matching.ids].flatMap(({ space, to }) => (space.includes("/") ? [] : [listKey(space, to)])),
    );
    const ambiguous = [
      ...[...matching.ambiguous.values()].flatMap((of) => [...of.values()].flat()),
      ...[...matching.pairs.values()].flatMap((of) => [...of.ambiguous.values()].flat()),
    ];
    this.#possible = new Set(ambiguous.map(({ kind, id }) => listKey(kind, id)));
  }

  findAll(): Removal[] {
    const { mirror } = this.#basis;
    const ofState = this.#stateCandidates();
    if (mirror.scope === "ours") return ofState.flatMap((candidate) => this.#removalOf(candidate, judgeOurs));
    const byTarget = new Map(
      ofState.flatMap((candidate) =>
        candidate.targetRecord ? [[listKey(candidate.kind.name, candidate.targetRecord.id), candidate] as const] : [],
      ),
    );
    const everything = kinds.flatMap((kind) =>
      kind.importPolicy.when === "always" ? this.#listedCandidates(kind) : [],
    );
    const candidates = everything.map(
      (candidate) => byTarget.get(listKey(candidate.kind.name, candidate.targetRecord?.id ?? "")) ?? candidate,
    );
    const others = ofState.filter(
      ({ kind, targetRecord }) => kind.importPolicy.when !== "always" || targetRecord === undefined,
    );
    return [
      ...candidates.flatMap((candidate) => this.#removalOf(candidate, () => ({ action: "delete" }))),
      ...others.flatMap((candidate) => this.#removalOf(candidate, judgeOurs)),
    ];
  }

  warnings(): Warning[] {
    const { unusable, scope } = this.#basis.mirror;
    const unknown =
      unusable === undefined || scope === "all" ? [] : [notMirrored(`${unusable}, so nothing is deleted`)];
    const notDeleted = [...this.#notDeleted].map(([kind, count]) =>
      notMirrored(
        `the archive may lack some ${kind} of its source, so the ${count} that only the target has are not deleted`,
      ),
    );
    return [...unknown, ...notDeleted];
  }

  /** Lists the records of the state that the source no longer has. */
  #stateCandidates(): Candidate[] {
    const { mirror, inventory } = this.#basis;
    const targetByKind = new Map(
      [...inventory.kinds].map(([kind, { records }]) => [kind, groupBy(records, ({ id }) => foldIds(id))]),
    );
    return [...mirror.stateRecords].flatMap(([key, recordState]): Candidate[] => {
      const slash = key.indexOf("/");
      const kind = findKind(key.slice(0, slash));
      if (kind === undefined || this.#isInSource(key)) return [];
      const [record] = targetByKind.get(kind.name)?.get(foldIds(recordState.targetId)) ?? [];
      return [{ kind, sourceId: key.slice(slash + 1), recordState, targetRecord: record }];
    });
  }

  /**
   * Tells whether the source has the record. If an alert with several channels was split into several alerts, each of these counts
   * as long as the source has the original alert.
   */
  #isInSource(key: RecordKey): boolean {
    return this.#inSource.has(key) || this.#inSource.has(key.replace(/#\d+$/, ""));
  }

  #listedCandidates(kind: ResourceKind): Candidate[] {
    const { inventory, mirror, options, transformed } = this.#basis;
    const inSource = new Set(
      [...mirror.stateRecords].flatMap(([key, { targetId }]) =>
        this.#isInSource(key) ? [listKey(key.slice(0, key.indexOf("/")), targetId)] : [],
      ),
    );
    const { namePrefix = "" } = options.naming;
    const unmatched = (inventory.kinds.get(kind.name)?.records ?? []).filter(
      ({ id, name }) =>
        !inSource.has(listKey(kind.name, id)) &&
        name.startsWith(namePrefix) &&
        !transformed.leftOutNames.has(`${kind.name} ${name}`),
    );
    return unmatched.map((record) => ({ kind, sourceId: record.id, recordState: undefined, targetRecord: record }));
  }

  #removalOf(
    candidate: Candidate,
    judge: (candidate: Candidate) => Pick<Removal, "action" | "code" | "message">,
  ): Removal[] {
    const { kind, sourceId, recordState, targetRecord } = candidate;
    const { inventory, mirror } = this.#basis;
    const targetId = targetRecord?.id ?? recordState?.targetId ?? "";
    if (this.#paired.has(listKey(kind.name, targetId)) || !this.#isAsked(candidate)) return [];
    const removal = { kind: kind.name, sourceId, name: targetRecord?.name ?? recordState?.name ?? "", targetId };
    if (targetRecord === undefined) {
      if (inventory.kinds.get(kind.name)?.status !== "complete") return [];
      return [
        { ...removal, action: "unchanged", code: "gone", message: "is gone from the source and from the target" },
      ];
    }
    if (!mirror.whole.has(kind.name)) {
      this.#notDeleted.set(kind.name, (this.#notDeleted.get(kind.name) ?? 0) + 1);
      return [];
    }
    if (this.#possible.has(listKey(kind.name, targetId))) return [{ ...removal, ...MAY_BE_WANTED }];
    if (kind.routes[inventory.stack.variant].delete === undefined) return [{ ...removal, ...NOT_OFFERED }];
    const judged = judge(candidate);
    return [{ ...removal, ...judged, ...(judged.action === "delete" && { targetRecord }) }];
  }

  /**
   * Tells whether the options select the record: a record that `--kinds`, `--include` or `--exclude` leaves out is not deleted. All
   * known names of the record are tried.
   */
  #isAsked({ kind, sourceId, recordState, targetRecord }: Candidate): boolean {
    const { kinds: requestedKinds, filter } = this.#basis.options;
    if (requestedKinds.length > 0 && !requestedKinds.includes(kind.name)) return false;
    const names = [recordState?.name, recordState?.sourceName, targetRecord?.name].filter((name) => name !== undefined);
    const called = names.map((name): StackRecord => ({ kind: kind.name, id: sourceId, name, body: {} }));
    return (
      called.some((record) => isSelected(record, { ...filter, exclude: [] })) &&
      called.every((record) => isSelected(record, { include: [], exclude: filter.exclude }))
    );
  }
}

/** Decides whether to delete a record of the state. A record stays if no import wrote it, or if somebody has changed it since. */
function judgeOurs({ kind, recordState, targetRecord }: Candidate): Pick<Removal, "action" | "code" | "message"> {
  if (recordState === undefined || !recordState.written) return { action: "skip", code: "not-ours", message: NOT_OURS };
  if (recordState.stored === undefined || targetRecord === undefined)
    return { action: "skip", code: "unproven", message: UNPROVEN };
  if (recordFingerprint(kind, targetRecord.body) === recordState.stored.whole) return { action: "delete" };
  return { action: "skip", code: "gone-edited", message: EDITED };
}

const NOT_OURS = "removed from the source, but no import wrote it: it was on the target before";
const UNPROVEN = "removed from the source, but it is unknown whether somebody changed it since the last import";
const EDITED = "removed from the source, but somebody changed it on the target since the last import";
const MAY_BE_WANTED = {
  action: "skip",
  code: "ambiguous",
  message: "an unmatched record of the source could be the same; name it in a map file",
} as const;
const NOT_OFFERED = {
  action: "skip",
  code: "not-offered",
  message: "removed from the source, but the target does not support deleting it",
} as const;

function notMirrored(why: string): Warning {
  return { code: "not-mirrored", message: `--mirror: ${why}` };
}

/** Returns the key of a record, with the id in lower case, because some stacks change the case of ids between answers. */
function listKey(kind: KindName, id: string): string {
  return `${kind} ${foldIds(id)}`;
}
