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

/** `path` is absent if there is no configuration file. */
export interface Config {
  readonly path?: string;
  readonly defaults: NonNullable<ConfigFile["defaults"]>;
  readonly stacks: ReadonlyMap<string, ConfiguredStack>;
  readonly repositories: ReadonlyMap<string, ConfiguredRepository>;
  readonly journals?: string | undefined;
  readonly backup?: NonNullable<ConfigFile["backup"]>;
  readonly redaction?: RedactionRules;
}

/**
 * A named file must exist; the default `stackferry.yaml` may be missing.
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
 * The file at `path` need not exist yet.
 * @throws StackferryError `config`
 */
export async function parseConfig(text: string, path: string): Promise<Config> {
  // Loading the YAML parser is slow, so it is imported only when it is needed.
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

export function configPath(file: string | undefined, cwd: string): string {
  return resolve(cwd, file ?? "stackferry.yaml");
}

const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;

/** The user's own group is allowed to write the file, because many systems allow that by default. */
export async function configExposureWarnings(path: string, ownGroup: number | undefined): Promise<Warning[]> {
  const stats = await stat(path).catch(() => undefined);
  if (platform() === "win32" || stats?.isFile() !== true) return [];
  const byGroup = (stats.mode & WRITABLE_BY_GROUP) !== 0 && stats.gid !== ownGroup;
  if (!byGroup && (stats.mode & WRITABLE_BY_ALL) === 0) return [];
  const message = `other users can change the configuration ${path}, which decides where keys are sent: run chmod go-w on it`;
  return [{ code: "open-permissions", message }];
}
