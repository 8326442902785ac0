import { basename, dirname, join, relative, resolve } from "node:path";
import { labelOf } from "../../config/stacks/stacks.ts";
import type { MemorySubject } from "../../core/plan/memory.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import type { SourceIdentities } from "../../import/apply/remember.ts";
import { STACK_IDENTITIES } from "../../import/apply/remember.ts";
import type { JournalAccess } from "../../journal/access.ts";
import type { MemoryLocation } from "./remember.ts";

/** Files that people write, as the source of an import. */
export interface FileSource {
  /** Full path of the folder or file. */
  readonly root: string;
  readonly identities: SourceIdentities;
}

/** What a memory is about. */
export interface MemoryPair {
  /** The stack that an archive was made from. */
  readonly source: StackIdentity;
  /** In place of the stack. */
  readonly files?: FileSource;
  readonly target: StackIdentity;
  readonly namePrefix?: string;
}

/** The memory of a pair, kept in that file. @param named somebody asked for it */
export function memoryLocation(path: string, pair: MemoryPair, access: JournalAccess, named = true): MemoryLocation {
  const { source, files, target, namePrefix } = pair;
  const from: MemorySubject["source"] = files === undefined ? plain(source) : { files: slashed(dirname(path), files) };
  const subject = { source: from, target: plain(target), ...(namePrefix !== undefined && { namePrefix }) };
  return { path, subject, access, named, identities: files?.identities ?? STACK_IDENTITIES };
}

/** `.stackferry/SOURCE--TARGET.json` in a folder: the same for the same pair, whatever the stacks are called on the command line. */
export function defaultStatePath(folder: string, { source, files, target, namePrefix }: MemoryPair): string {
  const from = files === undefined ? labelOf(source) : slug(slashed(folder, files)) || slug(basename(files.root));
  const parts = [from || "files", labelOf(target), ...(namePrefix === undefined ? [] : [slug(namePrefix)])];
  return join(folder, ".stackferry", `${parts.join("--")}.json`);
}

/** Seen from a folder, so that a repository of files can be moved as a whole. */
function slashed(folder: string, { root }: FileSource): string {
  return relative(resolve(folder), root).replaceAll("\\", "/") || ".";
}

function slug(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[.-]+|-+$/g, "");
}

/** Without members of a manifest that a later version may add. */
function plain({ variant, baseUrl, organizationId, serviceId }: StackIdentity): StackIdentity {
  return {
    variant,
    baseUrl,
    ...(organizationId !== undefined && { organizationId }),
    ...(serviceId !== undefined && { serviceId }),
  };
}
