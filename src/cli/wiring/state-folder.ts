import { isAbsolute, join } from "node:path";

/** Returns the folder for the program's state, if any. A relative `XDG_STATE_HOME` is ignored, as its specification demands. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { XDG_STATE_HOME: state, HOME: home } = env;
  if (state !== undefined && isAbsolute(state)) return join(state, "stackferry");
  return home !== undefined && isAbsolute(home) ? join(home, ".local", "state", "stackferry") : undefined;
}
