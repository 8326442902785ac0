import { z } from "zod";
import { isJsonObject, type JsonObject } from "../json.ts";
import { stackIdentitySchema } from "../schemas.ts";
import { baseSchema, childPairsSchema, type ReadFrom } from "./base.ts";

export const JOURNAL_FORMAT = "stackferry-journal";

/** The only version that this program writes or reads. */
export const JOURNAL_VERSION = 1;

const at = z.iso.datetime();
const key = z.templateLiteral([z.string(), "/", z.string()]);
const run = z.int().positive();

/** `link`: an update that adds the links that a create left out. */
const write = z.enum(["create", "update", "link", "delete"]);
export type JournalWrite = z.output<typeof write>;

/** One digest if both sides are equal; else the source's digest and the target's. */
const settledPart = z.union([z.string(), z.tuple([z.string(), z.string()])]);
export type SettledPart = ReadFrom<typeof settledPart>;

/** A record before a write replaced or deleted it. The body is redacted. */
const image = z.strictObject({
  key,
  name: z.string(),
  body: z.custom<JsonObject>(isJsonObject),
  digest: z.string(),
});
export type Image = ReadFrom<typeof image>;

/** The digests by which a later run tells who has changed which part. */
const settled = z.strictObject({
  /** By part key, as in `Base.parts`; null if neither side has the part any more. */
  parts: z.record(z.string(), settledPart.nullable()),
  equal: z.record(z.string(), settledPart).optional(),
  /** True if every part is settled; absent if unchanged. */
  whole: z.boolean().optional(),
  /** True if all earlier digests of the record are void. */
  forgets: z.literal(true).optional(),
  children: childPairsSchema.optional(),
  sourceName: z.string().optional(),
  lacksLinks: z.literal(true).optional(),
});
export type Settled = ReadFrom<typeof settled>;

const pair = {
  /** A stack, or the path of code files relative to the journal's folder. */
  source: z.union([stackIdentitySchema, z.strictObject({ files: z.string() })]),
  target: stackIdentitySchema,
  namePrefix: z.string().optional(),
};

/** Times are ISO 8601, UTC. No line contains a credential. */
export const journalEntrySchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("journal"), format: z.literal(JOURNAL_FORMAT), version: z.number(), ...pair }),
  z.strictObject({
    type: z.literal("begin"),
    at,
    run,
    archived: z.string().optional(),
    /** The source for people, such as the archive's file name. */
    from: z.string().optional(),
    undoes: run.optional(),
    /** Digest of the approved plan (`--plan`). */
    plan: z.string().optional(),
    /** Digests of the writes of the approved plan. */
    writes: z.array(z.string()).optional(),
  }),
  z.strictObject({
    type: z.literal("intent"),
    at,
    key,
    name: z.string(),
    write,
    targetId: z.string().optional(),
    content: z.string().optional(),
    image: image.optional(),
    /** Ids of the target's namesakes before a create or delete. Any other namesake is newer than the write. */
    namesakes: z.array(z.string()).optional(),
    hosts: z.array(key).optional(),
    lacksLinks: z.literal(true).optional(),
    kept: z.array(z.string()).optional(),
    /** Records that the server may delete when it carries out the update. */
    dependents: z.array(image).optional(),
    /** Names of children whose hidden settings the update may delete. No rollback can restore these settings. */
    mayLose: z.array(z.string()).optional(),
  }),
  settled.partial().extend({
    type: z.literal("done"),
    at,
    key,
    write,
    targetId: z.string(),
    /** Digest of the record as the target stored it; empty after a delete. */
    content: z.string(),
  }),
  settled.extend({ type: z.literal("seen"), key, name: z.string(), targetId: z.string() }),
  z.strictObject({ type: z.literal("refused"), at, key, write, code: z.string() }),
  z.strictObject({ type: z.literal("end"), at }),
  /** Takes the place of removed lines in a compacted journal. */
  z.strictObject({ type: z.literal("base"), key, base: baseSchema, lastWrite: z.string().optional() }),
]);
export type JournalEntry = ReadFrom<typeof journalEntrySchema>;

export type JournalPair = Omit<EntryOf<"journal">, "type" | "format" | "version">;

export type EntryOf<Type extends JournalEntry["type"]> = Extract<JournalEntry, { type: Type }>;

export interface Journal extends AsyncDisposable {
  readonly path?: string;
  readonly entries: readonly JournalEntry[];
  /**
   * Resolves once the entry is on disk.
   * @throws StackferryError `journal`; the run must then write nothing more to the target
   */
  append(entry: JournalEntry): Promise<void>;
}

/**
 * Writes nothing to disk, so a later process cannot resume or undo the import.
 * @param entries `append` adds to this array
 */
export function memoryJournal(entries: JournalEntry[] = []): Journal {
  return {
    entries: [...entries],
    append: async (entry) => void entries.push(entry),
    [Symbol.asyncDispose]: async () => {},
  };
}
