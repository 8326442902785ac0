import { dirname, resolve } from "node:path";
import { JOURNALS_FOLDER } from "../../library/steps/lock-target.ts";
import { loadConfig, type Config } from "../../config/load-config.ts";
import type { StackSources } from "../../config/stacks/stacks.ts";
import type { RedactionLevel } from "../../redaction/policy.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { Session } from "../program/session.ts";

/** The flag `--journals`. */
export interface JournalsFlag {
  readonly journals: string | undefined;
}

/** Returns the folder of locks and states: beside the configuration file, without one in the working directory. */
export async function journalsFolder({ journals }: JournalsFlag, session: Session): Promise<string> {
  const { cwd } = session.io;
  const config = await loadSessionConfig(session);
  const base = config.path === undefined ? cwd : dirname(config.path);
  return journals === undefined ? resolve(base, config.journals ?? JOURNALS_FOLDER) : resolve(cwd, journals);
}

export function loadSessionConfig({ io, globals }: Pick<Session, "io" | "globals">): Promise<Config> {
  return loadConfig({ file: globals.config, cwd: io.cwd });
}

/** Returns the sources from which settings are resolved. Flags take precedence over the configuration. */
export function stackSourcesOf(config: Config, { io, globals }: Pick<Session, "io" | "globals">): StackSources {
  const flags = { ...globals.pacing, caFile: globals.ca, allowHttp: globals.allowHttp };
  return { config, env: io.env, flags, cwd: io.cwd };
}

/** Creates a command's redactor from the common rules and those of the configuration. */
export async function createRunRedactor(session: Session, level: RedactionLevel = "standard"): Promise<Redactor> {
  const { redaction = {} } = await loadSessionConfig(session);
  // The rules take long to load, and a list of backups needs no rules.
  const { buildRedactor } = await import("../../library/options/option-values.ts");
  return buildRedactor({ ...redaction, level });
}
