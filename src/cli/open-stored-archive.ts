import { openArchive } from "../archive/reader.ts";
import type { ArchiveReadOptions } from "../archive/reader.ts";
import { StackferryError } from "../domain/errors.ts";
import type { ArchiveReader } from "../domain/ports.ts";
import { archiveKeys } from "./archive-keys.ts";
import { fetchArchive } from "./fetch-archive.ts";
import { openPlaceFor } from "./open-place.ts";
import type { Session } from "./session.ts";
import { splitPlace } from "./split-place.ts";

/** Who must have signed the archive. */
export type OpenOptions = Pick<ArchiveReadOptions, "signer">;

/** Opens an archive of an object store (`s3://bucket/prefix/a.zip`) from a private copy, which goes when it is disposed of. */
export async function openStoredArchive(
  address: string,
  session: Session,
  options: OpenOptions,
): Promise<ArchiveReader> {
  const { place: placeAddress, name } = splitPlace(address);
  await using place = await openPlaceFor(placeAddress, session);
  const fetched = await fetchArchive(place, name, session);
  try {
    const reader = await openArchive(fetched.path, { keys: archiveKeys(session), ...options });
    return {
      ...reader,
      summary: { ...reader.summary, path: address },
      async [Symbol.asyncDispose]() {
        await reader[Symbol.asyncDispose]();
        await fetched[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await fetched[Symbol.asyncDispose]();
    throw withAddress(error, fetched.path, address);
  }
}

/** Nobody knows the copy; what is wrong is wrong with what was named. */
function withAddress(error: unknown, copy: string, address: string): unknown {
  if (!(error instanceof StackferryError) || !error.message.includes(copy)) return error;
  const { code, message, hint } = error;
  const about = message.replaceAll(copy, address);
  return new StackferryError(code, about, { cause: error, ...(hint !== undefined && { hint }) });
}
