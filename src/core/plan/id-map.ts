import { getOrMake } from "../collections.ts";
import type { RecordKey } from "../records/record.ts";
import type { IdSpace } from "../resource-kind.ts";

export interface IdMapping {
  readonly space: IdSpace;
  readonly from: string;
  readonly to: string;
}

/** A child's id is unique only inside its owner, so the key of a source child is its `qualifiedChildId`. */
export class IdMap {
  readonly #spaces = new Map<IdSpace, Map<string, string>>();

  constructor(mappings: Iterable<IdMapping> = []) {
    for (const { space, from, to } of mappings) this.set(space, from, to);
  }

  get(space: IdSpace, from: string): string | undefined {
    return this.#spaces.get(space)?.get(from);
  }

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

export interface KnownId {
  readonly space: IdSpace;
  readonly id: string;
  /** For a child: its owner. Undefined if the id space is no kind. */
  readonly record: RecordKey | undefined;
}

export type FindCounterpart = Pick<IdMap, "get">;

/** The keys are stand-ins: made-up ids in the place of ids that the run will create. */
export type IdsToCome = ReadonlyMap<string, KnownId>;

/** Source ids whose form makes them recognisable in a text. The keys are in lower case. */
export type KnownIds = ReadonlyMap<string, KnownId>;
