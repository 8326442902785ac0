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
  const unusedState = (code: string, why: string): LoadedState => {
    const status = code === "state-foreign" ? "kept" : "replaced";
    const next = status === "kept" ? "it is not overwritten; name another file with --state" : "a new one is made";
    const message = `the state ${path} is not used, because ${why}: records are recognised by their names, and ${next}`;
    return { records: NOTHING, warning: { code, message }, status };
  };
  let found: ProvenState | undefined;
  try {
    found = await readProven(path, location.access);
  } catch (error) {
    return unusedState("state-unreadable", errorMessage(error));
  }
  if (found === undefined) return { records: NOTHING, status: "new" };
  if ("problem" in found) return unusedState(found.code, found.problem);
  const other = differingMember(found.subject, location.subject);
  if (other !== undefined) return unusedState("state-foreign", `it is of another ${other}`);
  const { records, begun } = found;
  return { records, status: "used", ...(begun && { begun }) };
}

/** The content of a state file, or the reason why it is not used. */
export type ProvenState = StateContent | { readonly problem: string; readonly code: string };

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
  if (!(await isProven(text, access))) return { code: "state-unproven", problem: UNPROVEN };
  const content = parseState(splitSeal(text.trimEnd()).body);
  return "problem" in content ? { ...content, code: "state-unreadable" } : content;
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

/**
 * Writes and seals a state file, completely or not at all, and makes its folder. The caller must hold the lock of the target: then no
 * other process writes the file.
 */
export async function writeState(
  { path, subject, access }: StateLocation,
  content: Omit<StateContent, "subject">,
): Promise<void> {
  const body = formatState({ ...content, subject });
  const { key } = await readOrMakeMachineKey(access.stateFolder);
  const line = key === undefined ? body : new SealChain(key).sealLine(body);
  try {
    await makePrivateFolder(dirname(path));
    await writeAtomically(path, `${line}\n`);
  } catch (error) {
    throw fileError("write the state", path, error);
  }
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
    const content = await readProven(path, access);
    if (content === undefined || "problem" in content) return content?.problem;
    if (compactJson({ ...content.subject.target }) !== compactJson({ ...target })) return "it is of another target";
    await writeState({ path, access, subject: content.subject }, { ...content, records: edit(content.records) });
    return undefined;
  } catch (error) {
    return systemMessage(error);
  }
}
