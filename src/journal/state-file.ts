import { dirname } from "node:path";
import { StackferryError, errorMessage } from "../core/errors.ts";
import { compactJson } from "../core/json.ts";
import type { StateRecords, StateSubject } from "../core/plan/state.ts";
import type { Warning } from "../core/outcome.ts";
import { makePrivateFolder, writeAtomically, refuseOtherFile } from "../files/atomic-write.ts";
import { fileError, systemErrorCode, systemMessage } from "../files/errors.ts";
import { openRegularFile } from "../files/regular-file.ts";
import {
  refuseSharedFile,
  readOrMakeMachineKey,
  readMachineKey,
  SealChain,
  splitSeal,
  type JournalAccess,
} from "./seal.ts";
import { takeLock } from "./file-lock.ts";
import type { StackIdentity } from "../core/records/record.ts";
import { formatState, parseState, type StateContent, type BegunRun } from "./state-format.ts";

/** The place of a state file, and the source and target that it belongs to. */
export interface StateLocation {
  readonly path: string;
  readonly subject: StateSubject;
  readonly access: JournalAccess;
}

export interface LoadedState {
  readonly records: StateRecords;
  /** A run that was cut short before it could save its results in the state. */
  readonly begun?: BegunRun;
  /** Why the file, or one of its parts, cannot be used. */
  readonly warning?: Warning;
  /** `new`: there is no file. `kept`: the file belongs to another import or machine, so it is not replaced. */
  readonly status: "used" | "new" | "replaced" | "kept";
  /** The text of the file; undefined if there is no regular file. */
  readonly text: string | undefined;
}

/** Maximum size of a state file in bytes. A file has at least 200 bytes per record and 60 per tile. */
const MAX_BYTES = 64 * 1024 * 1024;

const NOTHING: StateRecords = new Map();

/** The beginning of every state file. No other file is overwritten: `--state` may name a key or an archive by mistake. */
const OWN_STATE = /^\{"format":"stackferry-state"/;

/**
 * Reads a state without changing it. A state that is unreadable, or belongs to another machine, source or target, gives a warning
 * and is not used: the import then matches by name.
 * @throws StackferryError `usage` for a file that is not a state
 */
export async function readState(location: StateLocation): Promise<LoadedState> {
  const { path } = location;
  await refuseOtherFile(path, OWN_STATE, "a state file");
  const unusedState = (code: string, why: string, text?: string): LoadedState => {
    const status = code === "state-foreign" ? "kept" : "replaced";
    const next = status === "kept" ? "it is not overwritten; name another file with --state" : "a new one is made";
    const message = `the state ${path} is not used, because ${why}: records are recognised by their names, and ${next}`;
    return { records: NOTHING, warning: { code, message }, status, text };
  };
  let found: ProvenState | undefined;
  try {
    found = await readProven(path, location.access);
  } catch (error) {
    return unusedState("state-unreadable", errorMessage(error));
  }
  if (found === undefined) return { records: NOTHING, status: "new", text: undefined };
  if ("problem" in found) return unusedState(found.code, found.problem, found.text);
  const { text, ...content } = found;
  const other = differingMember(content.subject, location.subject);
  if (other !== undefined) return unusedState("state-foreign", `it is of another ${other}`, text);
  const { records, begun } = content;
  return { records, status: "used", text, ...(begun && { begun }) };
}

/** The content of a state file, or the reason why it is not used. */
export type ProvenState = (StateContent | { readonly problem: string; readonly code: string }) & {
  readonly text: string;
};

/**
 * Reads a state file that this machine is proven to have written; any other file is not even parsed. Undefined if there is no file.
 */
async function readProven(path: string, access: JournalAccess): Promise<ProvenState | undefined> {
  let text: string;
  try {
    text = await readPrivate(path);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  if (!(await isProven(text, access))) return { text, code: "state-unproven", problem: UNPROVEN };
  const content = parseState(splitSeal(text.trimEnd()).body);
  return "problem" in content ? { ...content, text, code: "state-unreadable" } : { ...content, text };
}

const UNPROVEN = "another machine or user made it, or it was changed since (--accept-foreign-state uses it anyway)";

async function readPrivate(path: string): Promise<string> {
  await using file = await openRegularFile(path, { refusesLinks: true });
  const stats = await file.stat();
  refuseSharedFile(path, stats, "the state");
  if (stats.size > MAX_BYTES) throw new StackferryError("journal", `it is larger than ${MAX_BYTES / 1024 ** 2} MiB`);
  return file.readFile("utf8");
}

async function isProven(text: string, { trust, stateFolder }: JournalAccess): Promise<boolean> {
  if (trust) return true;
  const key = await readMachineKey(stateFolder);
  return key !== undefined && new SealChain(key).continueWith([text.trimEnd()]);
}

function differingMember(theirs: StateSubject, ours: StateSubject): string | undefined {
  if (compactJson({ ...theirs.source }) !== compactJson({ ...ours.source })) return "source";
  if (compactJson({ ...theirs.target }) !== compactJson({ ...ours.target })) return "target";
  return theirs.namePrefix === ours.namePrefix ? undefined : "--name-prefix";
}

/** A state file that only this process may write. */
export interface OpenState extends AsyncDisposable {
  /** Writes the records known so far, completely or not at all. */
  write(content: Omit<StateContent, "subject">): Promise<void>;
}

/**
 * Takes the lock of a state for a run that writes.
 * @param planned the state from which the plan was made. Throws `locked` if the file has changed since: another run has written,
 * and applying the plan would undo the work of that run
 */
export async function openState({ path, subject, access }: StateLocation, planned: LoadedState): Promise<OpenState> {
  try {
    await makePrivateFolder(dirname(path));
  } catch (error) {
    throw fileError("write the state", path, error);
  }
  const lock = await takeLock(`${path}.lock`, "state");
  try {
    const now = await readState({ path, subject, access });
    if (now.text !== planned.text) throw overtakenError(path);
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
  return {
    write: (content) => writeState(path, { ...content, subject }, access),
    [Symbol.asyncDispose]: () => Promise.resolve(lock[Symbol.asyncDispose]()),
  };
}

/** Writes and seals a state file, completely or not at all. The caller must hold its lock. */
async function writeState(path: string, content: StateContent, access: JournalAccess): Promise<void> {
  const body = formatState(content);
  const { key } = await readOrMakeMachineKey(access.stateFolder);
  const line = key === undefined ? body : new SealChain(key).sealLine(body);
  await writeAtomically(path, `${line}\n`).catch((error: unknown) => {
    throw fileError("write the state", path, error);
  });
}

function overtakenError(path: string): StackferryError {
  const message = `another run has used the state ${path} since the plan was made`;
  return new StackferryError("locked", message, {
    hint: "Run the same command again: the new plan uses the current records.",
  });
}

/**
 * Changes the records in a target's state file, from whichever source they were imported. A state of another machine or another
 * target stays unchanged.
 * @returns why the state could not be changed; undefined if the state was changed or does not exist
 */
export async function editState(
  { path, access, target }: Pick<StateLocation, "path" | "access"> & { readonly target: StackIdentity },
  edit: (records: StateRecords) => StateRecords,
): Promise<string | undefined> {
  try {
    if ((await readProven(path, access)) === undefined) return undefined;
    await using _lock = await takeLock(`${path}.lock`, "state");
    const content = await readProven(path, access);
    if (content === undefined || "problem" in content) return content?.problem;
    if (compactJson({ ...content.subject.target }) !== compactJson({ ...target })) return "it is of another target";
    await writeState(path, { ...content, records: edit(content.records) }, access);
    return undefined;
  } catch (error) {
    return systemMessage(error);
  }
}
