import { dirname, resolve } from "node:path";
import { loadConfig } from "../../config/load-config.ts";
import type { MemoryLocation } from "../../library/memory/remember.ts";
import type { MemoryPair } from "../../library/memory/location.ts";
import { defaultStatePath, memoryLocation } from "../../library/memory/location.ts";
import type { Session } from "../program/session.ts";
import { journalAccessOf } from "./journal-access.ts";

/** What says that nothing is to be remembered. */
const NONE = "none";

/** The memory of a run: the file that was named, else the pair's own beside the configuration file; without one there is none. */
export async function memoryOf(
  { state, trustState }: { readonly state: string | undefined; readonly trustState: boolean },
  pair: MemoryPair,
  session: Session,
): Promise<MemoryLocation | undefined> {
  if (state === NONE) return undefined;
  const access = journalAccessOf(session, trustState);
  const { io, globals } = session;
  if (state !== undefined) return memoryLocation(resolve(io.cwd, state), pair, access);
  const { path } = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  if (path === undefined) return undefined;
  return memoryLocation(defaultStatePath(dirname(path), pair), pair, access, false);
}
