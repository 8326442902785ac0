import { randomBytes } from "node:crypto";
import { StackferryError } from "../../core/errors.ts";
import type { Repository } from "../../core/ports.ts";
import type { ExaminedRepository } from "../output/doctor.ts";
import type { Session } from "../program/session.ts";
import { openRepositoryFor } from "../wiring/repository.ts";

/** Tries every operation that a backup performs on a repository. */
export async function examineRepository(name: string, session: Session): Promise<ExaminedRepository> {
  session.events({ type: "phase", phase: `trying ${name}` });
  let address = "";
  try {
    await using repository = await openRepositoryFor(name, session);
    ({ address } = repository);
    await probeRepository(repository, randomBytes(8).toString("hex"), session.signal);
    return { name, address };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return { name, address, error };
  }
}

/**
 * Lists, writes, reads and removes one small file: all operations that a backup needs.
 * @param token makes the file's name unique
 * @throws StackferryError that names the operation that failed
 */
export async function probeRepository(repository: Repository, token: string, signal: AbortSignal): Promise<void> {
  const name = `stackferry-doctor-${token}.txt`;
  await repository.list(name, signal);
  await repository.writeText(name, token);
  try {
    if ((await repository.readText(name))?.text !== token) {
      throw unreliableStoreError(`${repository.address} does not return what was written to it`);
    }
  } finally {
    await repository.remove(name);
  }
  if ((await repository.readText(name)) === undefined) return;
  throw unreliableStoreError(`${repository.address} still returns a file that was deleted`);
}

function unreliableStoreError(message: string): StackferryError {
  return new StackferryError("archive-io", message, {
    hint: "backups in it cannot be trusted: check the store itself",
  });
}
