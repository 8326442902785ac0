import { z } from "zod";
import { stackIdentitySchema } from "../core/records/stack-identity.ts";
import { StackferryError } from "../core/errors.ts";
import { JOURNAL_FORMAT, JOURNAL_VERSION, type JournalEntry } from "../core/plan/journal.ts";
import { describeJsonFlaw, findJsonFlaw, recordBounds } from "../core/text/json-scan.ts";
import { splitSeal } from "./seal.ts";

/** The entries of a journal, and the number of bytes of their lines. Any further bytes of the file are a line that was cut off. */
export interface ParsedJournal {
  readonly entries: readonly JournalEntry[];
  /** The lines as text, seals included. */
  readonly lines: readonly string[];
  /** Number of bytes of all complete lines. */
  readonly bytes: number;
}

/** The first characters of each journal. A file without a line end that begins otherwise is not a torn journal: it is somebody's. */
const BEGINNING = '{"type":"begin","at":"';

/**
 * Parses a journal. A last line without a line end is ignored: the process died while it wrote this line. If the line was an
 * intent, its write was not sent. If the line was a result, its write counts as pending.
 * @throws StackferryError `journal` for any other file, which would otherwise lose its only line
 */
export function parseJournal(text: string, path: string): ParsedJournal {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const lines = whole.split("\n").slice(0, -1);
  const entries = lines.map((line, index) => parseLine(line, `${path}, line ${index + 1}`));
  const [first] = entries;
  const isOfAnother = first && (first.type !== "begin" || first.version !== JOURNAL_VERSION);
  const isTorn = text.startsWith(BEGINNING) || BEGINNING.startsWith(text);
  if (isOfAnother || (first === undefined && !isTorn)) {
    const message = `${path} is no journal, or a journal of another version of stackferry`;
    throw new StackferryError("journal", message, { hint: "Name the journal of an import, or a new file." });
  }
  return { entries, lines, bytes: Buffer.byteLength(whole) };
}

/** The limits of one line. A line holds at most one record, as large as a stack allows, and a few other members. */
const LINE_BOUNDS = { maxValues: recordBounds.maxValues + 100, maxDepth: recordBounds.maxDepth + 4 };

function parseLine(line: string, where: string): JournalEntry {
  let value: unknown;
  const flaw = findJsonFlaw(line, LINE_BOUNDS);
  if (flaw === "depth" || flaw === "values") throw damagedJournalError(where, describeJsonFlaw(flaw, LINE_BOUNDS));
  try {
    value = JSON.parse(splitSeal(line).body);
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
  const hint =
    "The file is not a stackferry journal, or somebody edited it. Name the journal of an import, or put the unedited file back.";
  return new StackferryError("journal", `${where}: ${problem}`, { cause, hint });
}

const at = z.iso.datetime();
const key = z.templateLiteral([z.string(), "/", z.string()]);
const body = z.record(z.string(), z.unknown());
const write = z.enum(["create", "update", "link", "remove", "delete", "restore"]);

const subject = z.strictObject({
  contentDigest: z.string(),
  recordsDigest: z.string().optional(),
  target: stackIdentitySchema,
  namePrefix: z.string().optional(),
  tags: z.array(z.string()),
  transforms: z.string().optional(),
});

/** The schema of one line of a journal; src/core/plan/journal.ts explains its members. */
const journalEntrySchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("begin"),
    at,
    format: z.literal(JOURNAL_FORMAT),
    version: z.number(),
    subject,
    state: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal("intent"),
    at,
    key,
    name: z.string(),
    write,
    targetId: z.string().optional(),
    previous: body.optional(),
    content: z.string().optional(),
    others: z.array(z.string()).optional(),
    inParts: z.boolean().optional(),
    mayLose: z.array(z.string()).optional(),
  }),
  z.strictObject({ type: z.literal("done"), at, key, write, targetId: z.string(), content: z.string() }),
  z.strictObject({ type: z.literal("refused"), at, key, write, code: z.string() }),
  z.strictObject({ type: z.enum(["cascade-loss", "at-risk"]), at, key, name: z.string(), body }),
  z.strictObject({ type: z.literal("found"), at, key }),
  z.strictObject({ type: z.literal("end"), at, result: z.enum(["complete", "incomplete", "stopped"]) }),
  z.strictObject({ type: z.literal("rollback"), at, undoes: z.array(z.int().positive()) }),
]);
