import { StackferryError } from "../core/errors.ts";
import type { RedactionRules } from "../core/secrets.ts";
import { systemErrorCode } from "../files/errors.ts";
import { NotAFileError, readRegularFile } from "../files/regular-file.ts";
import { configPath } from "./config-file.ts";
import { configFileSchema, configSchema, type ConfigFile, type ConfiguredRepository } from "./schema.ts";
import type { ConfiguredStack } from "./stacks/stack-schema.ts";

interface ConfigLocation {
  readonly file?: string | undefined;
  readonly cwd: string;
}

/** The configuration of a run. `path` is absent if there is no file. */
export interface Config {
  readonly path?: string;
  readonly defaults: NonNullable<ConfigFile["defaults"]>;
  readonly stacks: ReadonlyMap<string, ConfiguredStack>;
  readonly repositories: ReadonlyMap<string, ConfiguredRepository>;
  /** Folder of the locks and states of imports, as written. */
  readonly journals?: string | undefined;
  readonly backup?: NonNullable<ConfigFile["backup"]>;
  readonly redaction?: RedactionRules;
  /** Profiles of the file that no stack extends. */
  readonly unusedProfiles: readonly string[];
}

/**
 * Reads the named file, which must exist. Without a name, reads `stackferry.yaml` in the working directory, if there is one.
 * @throws StackferryError `config`
 */
export async function loadConfig({ file: named, cwd }: ConfigLocation): Promise<Config> {
  const path = configPath(named, cwd);
  const text = await readText(path, named !== undefined);
  return text === undefined
    ? { defaults: {}, stacks: new Map(), repositories: new Map(), unusedProfiles: [] }
    : parseConfig(text, path);
}

/**
 * Parses the text of a configuration file.
 * @param path the file's present or future path
 * @throws StackferryError `config` for an invalid text.
 */
export async function parseConfig(text: string, path: string): Promise<Config> {
  // The parser is loaded on demand: loading it takes longer than most commands run.
  const { parseYaml } = await import("./yaml.ts");
  const file = parseYaml(text, path, configSchema, { outline: configFileSchema });
  const { defaults = {}, repositories = {}, journals, backup, redaction, unusedProfiles } = file;
  const stacks = new Map(Object.entries(file.stacks));
  return {
    path,
    defaults,
    stacks,
    repositories: new Map(Object.entries(repositories)),
    journals,
    backup,
    redaction,
    unusedProfiles,
  };
}

async function readText(path: string, required: boolean): Promise<string | undefined> {
  try {
    return await readRegularFile(path);
  } catch (cause) {
    const missing = systemErrorCode(cause) === "ENOENT";
    if (missing && !required) return undefined;
    const unreadable = cause instanceof NotAFileError ? cause.message : "it cannot be read";
    const problem = missing ? "there is no such file" : unreadable;
    throw new StackferryError("config", `configuration ${path}: ${problem}`, {
      cause,
      hint: "give --config the path of a readable stackferry.yaml",
    });
  }
}
