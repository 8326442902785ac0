import type { Place } from "../domain/ports.ts";
import { localFiles } from "./local-files.ts";
import type { Session } from "./session.ts";

/** A copy on this machine, gone when it is disposed of. */
export interface FetchedArchive extends AsyncDisposable {
  readonly path: string;
}

/** Copies an archive of a place to this machine, with the signature beside it if it has one. */
export async function fetchArchive(place: Place, name: string, { signal }: Session): Promise<FetchedArchive> {
  const scratch = await localFiles.scratch();
  try {
    const path = scratch.file(name.endsWith(".age") ? ".zip.age" : ".zip");
    await place.fetch(name, path, signal);
    const beside = await place.list(`${name}.sig`, signal);
    if (beside.some((file) => file.name === `${name}.sig`)) await place.fetch(`${name}.sig`, `${path}.sig`, signal);
    return { path, [Symbol.asyncDispose]: () => Promise.resolve(scratch[Symbol.asyncDispose]()) };
  } catch (error) {
    await scratch[Symbol.asyncDispose]();
    throw error;
  }
}
