import { basename, dirname, join, relative, resolve } from "node:path";
import { labelOf } from "../../config/stacks/stacks.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import type { SourceIdentities } from "../../import/apply/update-state.ts";
import { STACK_IDENTITIES } from "../../import/apply/update-state.ts";
import type { JournalAccess } from "../../journal/file-access.ts";
import { openState, readState } from "../../journal/state/state-file.ts";
import type { RunStateLocation } from "./import-state.ts";

/** Code files as the source of an import. */
export interface FileSource {
  /** Full path of the folder or file. */
  readonly root: string;
  readonly identities: SourceIdentities;
}

/** The source and the target that a state file is about. */
export interface StatePair {
  /** The stack that the archive was exported from. */
  readonly source: StackIdentity;
  /** The code files, if they replace an archive. */
  readonly files?: FileSource | undefined;
  readonly target: StackIdentity;
  readonly namePrefix?: string | undefined;
}

/** Finds the state of a source and a target. */
export type StateOf = (pair: StatePair) => RunStateLocation;

/**
 * Finds the state file of a pair in a folder.
 * @param requestedPath the file that the user asked for instead
 */
export function stateFile(folder: string, access: JournalAccess, requestedPath?: string): StateOf {
  return (pair) => {
    const { source, files, target, namePrefix } = pair;
    const path = requestedPath ?? defaultStatePath(folder, pair);
    const from = files === undefined ? plain(source) : { files: relativePath(dirname(path), files) };
    const subject = { source: from, target: plain(target), ...(namePrefix !== undefined && { namePrefix }) };
    const place = { path, subject, access };
    return {
      path,
      access,
      isRequested: requestedPath !== undefined,
      identities: files?.identities ?? STACK_IDENTITIES,
      read: () => readState(place),
      open: (planned) => openState(place, planned),
    };
  };
}

/**
 * `.stackferry/SOURCE--TARGET.json` in a folder. It is the same for the same pair, whatever names the command line gives the
 * stacks.
 */
function defaultStatePath(folder: string, { source, files, target, namePrefix }: StatePair): string {
  const from = files === undefined ? labelOf(source) : slug(relativePath(folder, files)) || slug(basename(files.root));
  const parts = [from || "files", labelOf(target), ...(namePrefix === undefined ? [] : [slug(namePrefix)])];
  return join(folder, ".stackferry", `${parts.join("--")}.json`);
}

/** The path relative to a folder, so that a repository of files can be moved as a whole. */
function relativePath(folder: string, { root }: FileSource): string {
  return relative(resolve(folder), root).replaceAll("\\", "/") || ".";
}

function slug(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[.-]+|-+$/g, "");
}

/** Omits members that a later version may add to a manifest. */
function plain({ variant, baseUrl, organizationId, serviceId }: StackIdentity): StackIdentity {
  return {
    variant,
    baseUrl,
    ...(organizationId !== undefined && { organizationId }),
    ...(serviceId !== undefined && { serviceId }),
  };
}
