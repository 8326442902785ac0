import type { KeyObject } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { openArchive, type ArchiveReadOptions } from "../../archive/reader.ts";
import { StackferryError, rewordError } from "../../core/errors.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import { systemErrorCode } from "../../files/errors.ts";
import type { OptionNames } from "../options/option-values.ts";
import { isS3Address } from "../../storage/open-repository.ts";

export interface ArchiveAccess {
  /** age secret keys (`AGE-SECRET-KEY-1…`), for an encrypted archive. */
  readonly identities?: readonly string[];
  readonly passphrase?: string;
  /** Ed25519 public key. Without a valid `<path>.sig` of this key, the archive is refused. */
  readonly signer?: KeyObject;
}

export const ARCHIVE_ACCESS: OptionNames<ArchiveAccess> = { identities: true, passphrase: true, signer: true };

export function archiveReadOptions({ identities = [], passphrase, signer }: ArchiveAccess): ArchiveReadOptions {
  const keys = { identities, passphrases: passphrase === undefined ? [] : [passphrase] };
  return { keys: () => Promise.resolve(keys), signer };
}

/** @throws StackferryError `usage` for a missing path, or an address of an object store */
export function localArchivePath(path: string, option: string): string {
  if (typeof path !== "string" || path === "") throw new StackferryError("usage", `${option} is missing`);
  if (!isS3Address(path)) return resolve(path);
  const hint = "copy the archive from or to the object store, or use the stackferry command";
  throw new StackferryError("usage", `${option} takes a path on this machine`, { hint });
}

export async function openArchiveAt(path: string, options: ArchiveReadOptions): Promise<ArchiveReader> {
  await stat(path).catch((cause: unknown) => {
    if (systemErrorCode(cause) !== "ENOENT") return;
    throw new StackferryError("usage", `there is no archive at ${path}`, { cause, hint: "check the path" });
  });
  return openArchiveAs(path, path, options);
}

/** Summary and errors show `name`, which the user knows, instead of the path. */
export async function openArchiveAs(path: string, name: string, options: ArchiveReadOptions): Promise<ArchiveReader> {
  const fail = (error: unknown): never => {
    throw withName(error, path, name);
  };
  const reader = await openArchive(path, options).catch(fail);
  return {
    ...reader,
    summary: { ...reader.summary, path: name },
    read: (entry) => reader.read(entry).catch(fail),
  };
}

function withName(error: unknown, path: string, name: string): unknown {
  if (!(error instanceof StackferryError)) return error;
  const { code } = error;
  const message = error.message.replaceAll(path, name);
  const isNamed = message.includes(name) || (code !== "archive-damaged" && code !== "archive-unknown");
  if (isNamed && message === error.message) return error;
  return rewordError(error, isNamed ? message : `${name}: ${message}`);
}
