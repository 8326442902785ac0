import { loadConfig } from "../../config/load-config.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Session } from "../program/session.ts";

/** The stacks that `--all` selects. @throws StackferryError `config` if there are none */
export async function configuredStacks({ io, globals }: Pick<Session, "io" | "globals">): Promise<string[]> {
  const { path, stacks } = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  if (stacks.size > 0) return [...stacks.keys()];
  const hint = "--all means the stacks of stackferry.yaml: write one, or name one with --config";
  throw new StackferryError("config", `there are no stacks in ${path ?? "the configuration"}`, { hint });
}
