import { z } from "zod";
import { stackIdentitySchema } from "../core/records/stack-identity.ts";
import { StackferryError } from "../core/errors.ts";
import { JOURNAL_FORMAT, JOURNAL_VERSION, type JournalEntry } from "../core/plan/journal.ts";
import { describeJsonFlaw, findJsonFlaw, recordBounds } from "../core/text/json-scan.ts";

/** The entries of a journal, and the number of bytes of their lines. Any further bytes of the file are a line that was cut off. */
export interface ParsedJournal {
  readonly entries: readonly JournalEntry[];
  readonly bytes: number;
}

/**
 * Parses a journal. A last line without a line end is ignored: the process died while it wrote this line. If the line was an
 * intent, its write was not sent. If the line was a result, its write counts as open.
 * @throws StackferryError `journal` for a file that does not begin with the line of a journal, which would otherwise lose its only line
 */
export function parseJournal(text: string, path: string): ParsedJournal {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (text !== "" && !HEADER.startsWith(text.slice(0, HEADER.length))) throw noJournalError(path);
  const lines = whole.split("\n").slice(0, -1);
  const entries = lines.map((line, index) => parseLine(line, `${path}, line ${index + 1}`));
  const [first] = entries;
  if (first && (first.type !== "journal" || first.version !== JOURNAL_VERSION)) throw noJournalError(path);
  return { entries, bytes: Buffer.byteLength(whole) };
}

/** The beginning of every journal. A file that begins otherwise is somebody else's, even if its only line is cut off. */
const HEADER = `{"type":"journal","format":"${JOURNAL_FORMAT}"`;

function noJournalError(path: string): StackferryError {
  const message = `${path} is no journal, or a journal of another version of stackferry`;
  return new StackferryError("journal", message, { hint: "Move the file away; it is left as it is." });
}

/** The limits of one line. A line holds a record as large as a stack allows, its dependents, and a few other members. */
const LINE_BOUNDS = { maxValues: recordBounds.maxValues * 4, maxDepth: recordBounds.maxDepth + 6 };

function parseLine(line: string, where: string): JournalEntry {
  let value: unknown;
  const flaw = findJsonFlaw(line, LINE_BOUNDS);
  if (flaw === "depth" || flaw === "values") throw damagedJournalError(where, describeJsonFlaw(flaw, LINE_BOUNDS));
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw damagedJournalError(where, "is not JSON", cause);
  }
  if (isEntry(value)) return value;
  const [issue] = journalEntrySchema.safeParse(value).error?.issues ?? [];
  throw damagedJournalError(where, `${issue?.path.join(".") || "entry"}: ${issue?.message ?? "not an entry"}`);
}

function isEntry(value: unknown): value is JournalEntry {
  return journalEntrySchema.safeParse(value).success;
}

function damagedJournalError(where: string, problem: string, cause?: unknown): StackferryError {
  const hint = "The file is damaged, or somebody edited it. Put the unedited file back, or move it away.";
  return new StackferryError("journal", `${where}: ${problem}`, { cause, hint });
}

const at = z.iso.datetime();
const key = z.templateLiteral([z.string(), "/", z.string()]);
const body = z.record(z.string(), z.unknown());
const write = z.enum(["create", "update", "link", "delete"]);
const run = z.int().positive();
const ids = z.record(z.string(), z.record(z.string(), z.string()));
const part = z.union([z.string(), z.tuple([z.string(), z.string()])]);
const image = z.strictObject({ key, name: z.string(), body, digest: z.string() });

const settled = {
  parts: z.record(z.string(), part.nullable()),
  equal: z.record(z.string(), part).optional(),
  whole: z.boolean().optional(),
  forgets: z.literal(true).optional(),
  children: ids.optional(),
  sourceName: z.string().optional(),
  lacksLinks: z.literal(true).optional(),
};

const base = z.strictObject({
  targetId: z.string(),
  name: z.string(),
  sourceName: z.string().optional(),
  ours: z.boolean(),
  parts: z.record(
    z.string(),
    z.strictObject({
      desired: z.string(),
      stored: z.string(),
      written: z.boolean(),
      archived: z.string().optional(),
    }),
  ),
  whole: z.boolean(),
  children: ids.optional(),
  archived: z.string().optional(),
  lacksLinks: z.boolean().optional(),
});

/** The schema of one line of a journal; src/core/plan/journal.ts explains its members. */
const journalEntrySchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("journal"),
    format: z.literal(JOURNAL_FORMAT),
    version: z.number(),
    source: z.union([stackIdentitySchema, z.strictObject({ files: z.string() })]),
    target: stackIdentitySchema,
    namePrefix: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal("begin"),
    at,
    run,
    archived: z.string().optional(),
    from: z.string().optional(),
    undoes: run.optional(),
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
    content: z.string().optional(),
    image: image.optional(),
    namesakes: z.array(z.string()).optional(),
    hosts: z.array(key).optional(),
    lacksLinks: z.literal(true).optional(),
    kept: z.array(z.string()).optional(),
    dependents: z.array(image).optional(),
    mayLose: z.array(z.string()).optional(),
  }),
  z.strictObject({
    type: z.literal("done"),
    at,
    key,
    write,
    targetId: z.string(),
    content: z.string(),
    ...settled,
    parts: settled.parts.optional(),
  }),
  z.strictObject({ type: z.literal("seen"), key, name: z.string(), targetId: z.string(), ...settled }),
  z.strictObject({ type: z.literal("refused"), at, key, write, code: z.string() }),
  z.strictObject({ type: z.literal("end"), at, result: z.enum(["complete", "incomplete"]) }),
  z.strictObject({ type: z.literal("base"), key, base, lastWrite: z.string().optional() }),
]);
