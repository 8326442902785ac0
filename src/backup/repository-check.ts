import { StackferryError } from "../core/errors.ts";
import type { Repository } from "../core/ports.ts";

/**
 * Lists, writes, reads and removes one small file: all operations that a backup needs.
 * @param token makes the file's name unique
 * @throws StackferryError that names the operation that failed
 */
export async function checkRepository(repository: Repository, token: string, signal: AbortSignal): Promise<void> {
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
