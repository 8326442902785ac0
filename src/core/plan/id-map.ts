import type { RecordKey } from "../records/record.ts";
import type { IdSpace } from "../resource-kind.ts";

/** One id of the source stack and what it is on the target. */
export interface IdMapping {
  readonly space: IdSpace;
  readonly from: string;
  readonly to: string;
}

/**
 * What the ids of one stack are on another, by id space. Ids of children (tiles, filters) are only unique inside the record
 * that holds them, so they are kept under `owner/child`, see `childId`.
 */
export class IdMap {
  readonly #spaces = new Map<IdSpace, Map<string, string>>();

  constructor(mappings: Iterable<IdMapping> = []) {
    for (const { space, from, to } of mappings) this.set(space, from, to);
  }

  get(space: IdSpace, from: string): string | undefined {
    return this.#spaces.get(space)?.get(from);
  }

  set(space: IdSpace, from: string, to: string): void {
    const ids = this.#spaces.get(space) ?? new Map<string, string>();
    ids.set(from, to);
    this.#spaces.set(space, ids);
  }

  delete(space: IdSpace, from: string): void {
    this.#spaces.get(space)?.delete(from);
  }

  *[Symbol.iterator](): Iterator<IdMapping> {
    for (const [space, ids] of this.#spaces) for (const [from, to] of ids) yield { space, from, to };
  }
}

/** The id under which a child of a record is kept in an `IdMap`. */
export function childId(ownerId: string, ownId: string): string {
  return `${ownerId}/${ownId}`;
}

/** What an id of the source stack belongs to. */
export interface KnownId {
  readonly space: IdSpace;
  /** As `IdMap` keeps it. */
  readonly id: string;
  /** The record of ours that it is, or that holds it; undefined for connections and the like. */
  readonly record: RecordKey | undefined;
}

/** Ids of the source stack that are recognised by their form alone, by the id in lower case. */
export type KnownIds = ReadonlyMap<string, KnownId>;
