import type { StackSources } from "../../config/stacks/stacks.ts";
import type { Config } from "../../config/load-config.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { RedactionLevel } from "../../redaction/policy.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { Session } from "../program/session.ts";
import { isAbsolute, join, resolve } from "node:path";
import type { JournalAccess } from "../../journal/seal.ts";
import { journalAccess } from "../../library/steps/journal-location.ts";
import type { CodeValues } from "../../archive/as-code/values.ts";
import { codeValuesSchema } from "../../config/stacks/stack-schema.ts";
import { expandValue, readTextFile } from "../../config/expand-values.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";

export function configOf({ io, globals }: Pick<Session, "io" | "globals">): Promise<Config> {
  return loadConfig({ file: globals.config, cwd: io.cwd });
}

/** Returns what settings are resolved from; flags take precedence over the configuration. */
export function sourcesOf(config: Config, { io, globals }: Pick<Session, "io" | "globals">): StackSources {
  const flags = { ...globals.pacing, caFile: globals.ca, allowHttp: globals.allowHttp };
  return { config, env: io.env, flags, cwd: io.cwd };
}

/** Creates a command's redactor from the common rules, those of the configuration, and the secret scanner. */
export async function redactorOfRun(session: Session, level: RedactionLevel = "standard"): Promise<Redactor> {
  const { redaction = {} } = await configOf(session);
  // The rules take long to load, and a list of backups needs none.
  const { redactorOf } = await import("../../library/options/option-values.ts");
  return redactorOf({ ...redaction, level });
}

/** Returns the settings by which this run trusts journals. The key that seals journals is kept in the state folder. */
export function journalAccessOf({ io: { env } }: Pick<Session, "io">, acceptForeignJournal: boolean): JournalAccess {
  return journalAccess({ acceptForeignJournal, stateFolder: stateFolder(env) });
}

/**
 * Returns the folder for the program's state; undefined if the environment names none. A relative `XDG_STATE_HOME` is ignored, as
 * its specification demands.
 */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { XDG_STATE_HOME: state, HOME: home } = env;
  if (state !== undefined && isAbsolute(state)) return join(state, "stackferry");
  return home !== undefined && isAbsolute(home) ? join(home, ".local", "state", "stackferry") : undefined;
}

/**
 * Returns the values of the placeholders in code files: those that the stack's configuration gives, and those in the file that
 * `--values` names, which take precedence.
 * @throws StackferryError `config` for a file that cannot be read or contains anything but names with values
 */
export async function valuesFor(
  { values = {} }: Pick<StackSettings, "values">,
  file: string | undefined,
  session: Session,
): Promise<CodeValues> {
  if (file === undefined) return values;
  const path = resolve(session.io.cwd, file);
  const text = await readTextFile(
    path,
    `the values file ${path} cannot be read`,
    "create the file, or correct the path",
  );
  const { parseYaml } = await import("../../config/yaml.ts");
  const { valuesOf } = await import("../../config/stacks/stacks.ts");
  const sources = { env: session.io.env, configPath: path };
  const given = await valuesOf(parseYaml(text, path, codeValuesSchema), (member, value) =>
    expandValue(value, member, sources),
  );
  return { ...values, ...given };
}
