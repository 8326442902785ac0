import { StackferryError } from "../core/errors.ts";
import type { Repository } from "../core/ports.ts";

/**
 * Lists, writes, reads and removes one small file, which is all that a backup needs of a repository.
 * @param token makes the file's name one that nobody else has
 * @throws StackferryError that says what the repository did not do
 */
export async function checkRepository(repository: Repository, token: string, signal: AbortSignal): Promise<void> {
  const name = `stackferry-doctor-${token}.txt`;
  await repository.list(name, signal);
  await repository.writeText(name, token);
  try {
    if ((await repository.readText(name))?.text !== token) {
      throw unreliable(`${repository.address} does not give back what was written to it`);
    }
  } finally {
    await repository.remove(name);
  }
  if ((await repository.readText(name)) === undefined) return;
  throw unreliable(`${repository.address} still has a file that was removed`);
}

function unreliable(message: string): StackferryError {
  return new StackferryError("archive-io", message, {
    hint: "backups there cannot be trusted: look at the store itself",
  });
}
