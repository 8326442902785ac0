import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { sandboxError } from "../errors.ts";
import { identitySchema, type Identity } from "../identity.ts";
import { COLLECTIONS, type Settings } from "../options.ts";
import { snapshotOf, type Store } from "./store.ts";

const records = z.array(z.looseObject({ id: z.string().min(1) })).readonly();

const fileSchema = z.strictObject({
  format: z.literal("stackferry-sandbox"),
  formatVersion: z.literal(1),
  variant: z.enum(["managed", "self-hosted"]),
  /** Absent in files of earlier releases, in which the form of ids could not be chosen. */
  ids: z.enum(["hex", "uuid"]).optional(),
  identity: identitySchema,
  records: z.record(z.enum(COLLECTIONS), records),
});

export type DataFile = z.output<typeof fileSchema>;

/**
 * Reads a data file; undefined if it does not exist. Throws `sandbox-io`, or `sandbox-usage` if the file is for another variant or
 * another form of ids than the settings.
 */
export async function loadDataFile(path: string, { variant, ids }: Settings): Promise<DataFile | undefined> {
  const text = await readRegularFile(path).catch((cause: unknown) => {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw sandboxError("sandbox-io", `cannot read the sandbox's data file ${path}`, cause);
  });
  if (text === undefined) return undefined;
  const file = parseDataFile(text);
  if (file === undefined) {
    throw sandboxError(
      "sandbox-io",
      `${path} is no data file of a sandbox, or a damaged one: move it away to start anew`,
    );
  }
  if (file.variant !== variant) {
    throw sandboxError("sandbox-usage", `${path} holds a ${file.variant} sandbox, but you asked for a ${variant} one`);
  }
  const storedForm = file.ids ?? (variant === "managed" ? "uuid" : "hex");
  if (storedForm !== ids) {
    throw sandboxError("sandbox-usage", `${path} holds a sandbox with ${storedForm} ids, but you asked for ${ids} ids`);
  }
  return file;
}

/**
 * Creates a function that writes the stack's state to the data file. The function resolves when the state at the time of the call
 * is on disk.
 */
export function createSaver(path: string, { variant, ids }: Settings, identity: Identity, store: Store) {
  let currentWrite: Promise<void> | undefined;
  let nextWrite: Promise<void> | undefined;
  const write = (): Promise<void> => {
    const state: DataFile = {
      format: "stackferry-sandbox",
      formatVersion: 1,
      variant,
      ids,
      identity,
      records: snapshotOf(store),
    };
    currentWrite = replaceFile(path, JSON.stringify(state)).finally(() => (currentWrite = undefined));
    return currentWrite;
  };
  return (): Promise<void> => {
    if (currentWrite === undefined) return write();
    // All calls during a write share the next write, so many simultaneous calls cost two writes.
    nextWrite ??= currentWrite
      .catch(() => undefined)
      .then(() => {
        nextWrite = undefined;
        return write();
      });
    return nextWrite;
  };
}

function parseDataFile(text: string): DataFile | undefined {
  try {
    return fileSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * Replaces the file at `path` (mode 0600) atomically: the file always has either the old or the new text. A temporary file that a
 * crash left is never read, and the next write replaces it. Throws `sandbox-io`.
 */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    // Removes an old temporary file first, so that neither its mode nor a link in its place has an effect.
    await rm(temporary, { force: true });
    await using file = await open(temporary, "wx", 0o600);
    await file.writeFile(text);
    await file.sync();
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    throw sandboxError("sandbox-io", `cannot write the sandbox's data file ${path}`, cause);
  }
}

/** Flushes a folder to disk. A rename is durable only after that. */
async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}

/** Reads a regular file. Throws for any other entry, because a FIFO would block the sandbox for ever. */
async function readRegularFile(path: string): Promise<string> {
  if (!(await stat(path)).isFile()) throw new Error("it is no file");
  return readFile(path, "utf8");
}
