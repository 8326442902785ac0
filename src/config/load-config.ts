import { stat } from "node:fs/promises";
import { platform } from "node:os";
import { resolve } from "node:path";
import type { RedactionRules } from "../core/secrets.ts";
import { systemErrorCode } from "../files/errors.ts";
import { readTextFile } from "./expand-values.ts";
import { configSchema, type ConfigFile, type ConfiguredRepository, type ConfiguredStack } from "./schema.ts";
import type { Warning } from "../core/outcome.ts";

interface ConfigLocation {
  readonly file?: string | undefined;
  readonly cwd: string;
}

/** The configuration of a run. `path` is absent if there is no configuration file. */
export interface Config {
  readonly path?: string;
  readonly defaults: NonNullable<ConfigFile["defaults"]>;
  readonly stacks: ReadonlyMap<string, ConfiguredStack>;
  readonly repositories: ReadonlyMap<string, ConfiguredRepository>;
  /** Folder of the journals and locks of imports, as written in the configuration file. */
  readonly journals?: string | undefined;
  readonly backup?: NonNullable<ConfigFile["backup"]>;
  readonly redaction?: RedactionRules;
}

/**
 * Reads the configuration file with the given name, which must exist. Without a name, reads `stackferry.yaml` in the
 * working directory, if there is one.
 * @throws StackferryError `config`
 */
export async function loadConfig({ file: named, cwd }: ConfigLocation): Promise<Config> {
  const path = configPath(named, cwd);
  const hint = "give --config the path of a readable stackferry.yaml";
  const reading = readTextFile(path, `the configuration ${path} cannot be read`, hint);
  const text = await reading.catch((error: unknown) => {
    const isAbsent = named === undefined && error instanceof Error && systemErrorCode(error.cause) === "ENOENT";
    if (isAbsent) return undefined;
    throw error;
  });
  return text === undefined ? { defaults: {}, stacks: new Map(), repositories: new Map() } : parseConfig(text, path);
}

/**
 * Parses the text of a configuration file.
 * @param path the path of the file, for messages; the file need not exist yet
 * @throws StackferryError `config` for an invalid text
 */
export async function parseConfig(text: string, path: string): Promise<Config> {
  // The parser is loaded on demand: loading it takes longer than most commands run. So no module that every command
  // loads may import the parser.
  const { parseYaml } = await import("./yaml.ts");
  const file = parseYaml(text, path, configSchema);
  const { defaults = {}, stacks = {}, repositories = {}, journals, backup, redaction } = file;
  return {
    path,
    defaults,
    stacks: new Map(Object.entries(stacks)),
    repositories: new Map(Object.entries(repositories)),
    journals,
    backup,
    redaction,
  };
}

/** Returns the path of the configuration file; by default `stackferry.yaml` in the working directory. */
export function configPath(file: string | undefined, cwd: string): string {
  return resolve(cwd, file ?? "stackferry.yaml");
}

const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;

/**
 * Warns if other users may write the configuration file, which decides where credentials are sent. The user's own group
 * may write it, because many systems allow that by default. Windows has no such modes.
 */
export async function configExposureWarnings(path: string, ownGroup: number | undefined): Promise<Warning[]> {
  const stats = await stat(path).catch(() => undefined);
  if (platform() === "win32" || stats?.isFile() !== true) return [];
  const byGroup = (stats.mode & WRITABLE_BY_GROUP) !== 0 && stats.gid !== ownGroup;
  if (!byGroup && (stats.mode & WRITABLE_BY_ALL) === 0) return [];
  const message = `other users can change the configuration ${path}, which decides where keys are sent: run chmod go-w on it`;
  return [{ code: "open-permissions", message }];
}
