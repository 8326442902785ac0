import { z } from "zod";
import type { JsonObject } from "../json.ts";
import type { RecordKey } from "../records/record.ts";

/** The read-only type of a schema's output. */
export type ReadFrom<Schema extends z.ZodType> = DeeplyReadonly<z.output<Schema>>;

/** `JsonObject` is already read-only, and stays as it is. */
type DeeplyReadonly<Value> = Value extends object
  ? JsonObject extends Value
    ? Value
    : { readonly [Member in keyof Value]: DeeplyReadonly<Value[Member]> }
  : Value;

/** Pairs of a record's children by id space: id at the source → id on the target. */
export const childPairsSchema = z.record(z.string(), z.record(z.string(), z.string()));
export type ChildPairs = ReadFrom<typeof childPairsSchema>;

const partBaseSchema = z.strictObject({
  /** Digest of the source's part, with ids translated to the target's ids. Empty if the source lacked the part. */
  desired: z.string(),
  /** Digest of the target's part. Empty if the target lacked the part. */
  stored: z.string(),
  /** True if an import wrote the part; false if a comparison found the part equal on both sides. */
  written: z.boolean(),
  /** When the archive that settled the part was exported: ISO 8601, UTC. Absent for code files. */
  archived: z.string().optional(),
});

/**
 * Digests of one part (a tile, a filter, a member) of a record on both sides, from the last import that settled the
 * part: that wrote it, or found it equal.
 */
export type PartBase = ReadFrom<typeof partBaseSchema>;

export const baseSchema = z.strictObject({
  targetId: z.string(),
  name: z.string(),
  /** The record's name at the source, if transforms rename it. */
  sourceName: z.string().optional(),
  /** True if an import created or updated the record. */
  ours: z.boolean(),
  /** The key is a member (`tags`), or a member and the child's id on the target (`tiles/65a…`). */
  parts: z.record(z.string(), partBaseSchema),
  /** True if every part of the record has been settled. A part that is not in `parts` was then added later. */
  whole: z.boolean(),
  children: childPairsSchema.optional(),
  /** When the newest archive that settled a part was exported: ISO 8601, UTC. */
  archived: z.string().optional(),
  /** True if a link to another record is still missing on the target, because the other record did not exist yet. */
  lacksLinks: z.boolean().optional(),
});

/** The journal's knowledge of a source record and its counterpart on the target, from earlier runs. */
export type Base = ReadFrom<typeof baseSchema>;

export type Counterparts = Pick<Base, "targetId" | "children">;

/** The bases of all records of a source, by the key of the source's record. */
export type Bases = ReadonlyMap<RecordKey, Base>;
