import { dirname, resolve } from "node:path";
import { stateOf } from "../../library/options/import-options.ts";
import type { FindStateFile } from "../../library/steps/import-state.ts";
import type { ImportRequest } from "../flags/import.ts";
import type { Session } from "../program/session.ts";
import { journalsFolder, loadSessionConfig } from "../wiring/config.ts";
import { stateFolder } from "../wiring/state-folder.ts";

/** The value of `--state` for a run without a state file. */
const NONE = "none";

/** Finds the state file of an import. Without a configuration file no state is kept, unless `--state` names a file. */
export async function findStateOf(request: ImportRequest, session: Session): Promise<FindStateFile | undefined> {
  const { state, options } = request;
  const { cwd, env } = session.io;
  if (state === NONE) return undefined;
  const { path } = await loadSessionConfig(session);
  const place =
    path === undefined ? undefined : { folder: await journalsFolder(request, session), base: dirname(path) };
  const { acceptForeignState } = options;
  return stateOf({ state: state && resolve(cwd, state), acceptForeignState, stateFolder: stateFolder(env) }, place);
}
