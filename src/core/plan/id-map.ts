import { getOrMake } from "../collections.ts";
import type { RecordKey } from "../records/record.ts";
import type { IdSpace } from "../resource-kind.ts";

/** An id of the source stack and its counterpart on the target. */
export interface IdMapping {
  readonly space: IdSpace;
  readonly from: string;
  readonly to: string;
}

/**
 * Maps the ids of one stack to those of another. The id of a child is unique only inside its owner, so the map knows a
 * source child by its `qualifiedChildId`.
 */
export class IdMap {
  readonly #spaces = new Map<IdSpace, Map<string, string>>();

  constructor(mappings: Iterable<IdMapping> = []) {
    for (const { space, from, to } of mappings) this.set(space, from, to);
  }

  get(space: IdSpace, from: string): string | undefined {
    return this.#spaces.get(space)?.get(from);
  }

  /** Returns the source id that is mapped to this target id; undefined if there is none. */
  sourceOf(space: IdSpace, to: string): string | undefined {
    for (const [from, mappedTo] of this.#spaces.get(space) ?? []) if (mappedTo === to) return from;
    return undefined;
  }

  set(space: IdSpace, from: string, to: string): void {
    getOrMake(this.#spaces, space, () => new Map<string, string>()).set(from, to);
  }

  *[Symbol.iterator](): Iterator<IdMapping> {
    for (const [space, ids] of this.#spaces) for (const [from, to] of ids) yield { space, from, to };
  }
}

export function qualifiedChildId(ownerId: string, ownId: string): string {
  return `${ownerId}/${ownId}`;
}

/** An id of the source stack, and the record to which the id belongs. */
export interface KnownId {
  readonly space: IdSpace;
  /** The id in the form that `IdMap` uses: `owner/child` for a child. */
  readonly id: string;
  /** The record with the id, or the record that holds the child; undefined if the id space is no kind. */
  readonly record: RecordKey | undefined;
}

export type FindCounterpart = Pick<IdMap, "get">;

/**
 * Ids of the source stack whose counterparts the run has yet to create. The keys are stand-ins: made-up ids that take
 * the place of the future ids in the bodies of a plan.
 */
export type IdsToCome = ReadonlyMap<string, KnownId>;

/** Ids of the source stack that can be recognised in a text by their form alone. The keys are the ids in lower case. */
export type KnownIds = ReadonlyMap<string, KnownId>;
