import { z } from "zod";
import { isJsonObject, type JsonObject } from "../json.ts";
import { stackIdentitySchema } from "../schemas.ts";
import { baseSchema, childPairsSchema, type ReadFrom } from "./base.ts";

export const JOURNAL_FORMAT = "stackferry-journal";

/** The journal version that this program writes, and the only one it reads. */
export const JOURNAL_VERSION = 1;

const at = z.iso.datetime();
const key = z.templateLiteral([z.string(), "/", z.string()]);
const run = z.int().positive();

/** `link`: an update that adds links which the create had to leave out. */
const write = z.enum(["create", "update", "link", "delete"]);
export type JournalWrite = z.output<typeof write>;

/** One digest if both sides of a part are equal; otherwise the digests of the source's part and of the target's. */
const settledPart = z.union([z.string(), z.tuple([z.string(), z.string()])]);
export type SettledPart = ReadFrom<typeof settledPart>;

/** A record as it was before a write replaced or deleted the record. The body is redacted. */
const image = z.strictObject({
  key,
  name: z.string(),
  body: z.custom<JsonObject>(isJsonObject),
  /** Digest of the record's content before redaction. */
  digest: z.string(),
});
export type Image = ReadFrom<typeof image>;

/** The result of a write or a comparison: the digests by which a later run can tell who has changed which part of the record. */
const settled = z.strictObject({
  /** By part key, as in `Base.parts`. Null if neither side has the part any more. */
  parts: z.record(z.string(), settledPart.nullable()),
  /** By part key: parts that a comparison found equal on both sides. */
  equal: z.record(z.string(), settledPart).optional(),
  /** Whether every part is settled now. Absent if nothing changes in this respect. */
  whole: z.boolean().optional(),
  /** True if the earlier digests of all parts of the record are void. */
  forgets: z.literal(true).optional(),
  children: childPairsSchema.optional(),
  /** The record's name at the source, if transforms rename it. */
  sourceName: z.string().optional(),
  /** True if links to other records are still missing on the target. */
  lacksLinks: z.literal(true).optional(),
});
export type Settled = ReadFrom<typeof settled>;

/** The source and the target of a journal. */
const pair = {
  /** A stack, or the path of code files relative to the journal's folder. */
  source: z.union([stackIdentitySchema, z.strictObject({ files: z.string() })]),
  target: stackIdentitySchema,
  namePrefix: z.string().optional(),
};

/** One line of a journal. Times are ISO 8601, UTC. No line holds a credential. */
export const journalEntrySchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("journal"), format: z.literal(JOURNAL_FORMAT), version: z.number(), ...pair }),
  z.strictObject({
    type: z.literal("begin"),
    at,
    run,
    /** When the archive was exported; absent for files. */
    archived: z.string().optional(),
    /** The archive's file name, or the folder of the files, for people. */
    from: z.string().optional(),
    undoes: run.optional(),
    /** The digest of the approved plan that the run carries out (`--plan`); `writes` are the digests of the plan's writes. */
    plan: z.string().optional(),
    writes: z.array(z.string()).optional(),
  }),
  z.strictObject({
    type: z.literal("intent"),
    at,
    key,
    name: z.string(),
    write,
    targetId: z.string().optional(),
    /** Digest of the body that is sent; absent for a delete. */
    content: z.string().optional(),
    /** The record that an update replaces or a delete removes. */
    image: image.optional(),
    /**
     * For a create or a delete: ids of the target's records with the same name before the write. A record of this name
     * with any other id is newer than the write.
     */
    namesakes: z.array(z.string()).optional(),
    /** For a create: the target's records on which the new record lives, such as the dashboard of an alert. */
    hosts: z.array(key).optional(),
    /** For a create: true if a later write adds links. */
    lacksLinks: z.literal(true).optional(),
    /** For an update: the keys of the parts that the update leaves as they are on the target. */
    kept: z.array(z.string()).optional(),
    /** For an update: the records that the server may delete with the update. */
    dependents: z.array(image).optional(),
    /**
     * Names of children with settings that no answer shows. The update may delete these settings, and no rollback can restore them.
     */
    mayLose: z.array(z.string()).optional(),
  }),
  settled.partial().extend({
    type: z.literal("done"),
    at,
    key,
    write,
    targetId: z.string(),
    /** Digest of the whole record as the target stored the record; empty after a delete. */
    content: z.string(),
  }),
  settled.extend({ type: z.literal("seen"), key, name: z.string(), targetId: z.string() }),
  /** The target refused the write, so the write was certainly not carried out. */
  z.strictObject({ type: z.literal("refused"), at, key, write, code: z.string() }),
  z.strictObject({ type: z.literal("end"), at }),
  /** Lines of a compacted journal. They hold the bases from the runs whose lines were removed. */
  z.strictObject({ type: z.literal("base"), key, base: baseSchema, lastWrite: z.string().optional() }),
]);
export type JournalEntry = ReadFrom<typeof journalEntrySchema>;

export type JournalPair = Omit<EntryOf<"journal">, "type" | "format" | "version">;

export type EntryOf<Type extends JournalEntry["type"]> = Extract<JournalEntry, { type: Type }>;

/** An append-only record of all runs from one source to one target. */
export interface Journal extends AsyncDisposable {
  /** The journal's path, for messages; undefined for a journal in memory. */
  readonly path?: string;
  /** The entries at the time when the journal was opened. */
  readonly entries: readonly JournalEntry[];
  /** Resolves once the entry is on disk. Throws `journal` if that fails; the run must then write nothing more to the target. */
  append(entry: JournalEntry): Promise<void>;
}

/**
 * A journal in memory, for imports that nobody resumes or undoes.
 * @param entries the entries of earlier runs; `append` adds to this array
 */
export function memoryJournal(entries: JournalEntry[] = []): Journal {
  return {
    entries: [...entries],
    append: async (entry) => void entries.push(entry),
    [Symbol.asyncDispose]: async () => {},
  };
}
