import { dirname, resolve } from "node:path";
import { StackferryError } from "../core/errors.ts";
import type { S3Access } from "../core/ports.ts";
import type { Config } from "./load-config.ts";
import type { ConfiguredRepository } from "./schema.ts";
import { expandValue } from "./expand-values.ts";

/** The settings of a repository: its address, and the access to its object store. */
export interface RepositorySettings extends S3Access {
  /** The absolute path of a folder, or `s3://bucket/prefix`. */
  readonly address: string;
  /** The age public keys for which backups are encrypted. */
  readonly recipients?: readonly string[];
  /** The absolute path of the private key that signs backups. */
  readonly sign?: string;
  readonly keep?: NonNullable<ConfiguredRepository["keep"]>;
}

/** The configuration, environment and working directory that a REPO argument is resolved with. */
export interface RepositorySources {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/**
 * Returns the settings for a REPO argument: a name of the configuration file, or an address. The address of a configured
 * repository, or an `s3://` address below it, gets the settings of that repository (keys, encryption, signing). The configuration
 * file takes precedence over the usual AWS variables.
 * @throws StackferryError `config`
 */
export async function resolveRepository(
  reference: string,
  { config, env, cwd }: RepositorySources,
): Promise<RepositorySettings> {
  const named = config.repositories.get(reference);
  const repositories = await Promise.all(
    [...config.repositories].map(async ([name, repository]) => {
      const isMeant = named === undefined ? isSameSort(reference, repository.url) : name === reference;
      return isMeant ? await filledIn(name, repository, config.path ?? "", env) : undefined;
    }),
  );
  const knownRepositories = repositories.flatMap((repository) => repository ?? []);
  const repository =
    named === undefined ? knownRepositories.find(({ address }) => isBelow(reference, address)) : knownRepositories[0];
  if (named !== undefined && repository !== undefined) return { ...fromEnvironment(env), ...repository };
  if (!reference.startsWith("s3://")) {
    const address = resolve(cwd, reference);
    return knownRepositories.find((repository) => repository.address === address) ?? { address };
  }
  return { ...fromEnvironment(env), ...repository, address: reference };
}

/** Tells whether the argument can mean a configured repository. The others are skipped, so that their variables may be missing. */
function isSameSort(reference: string, url: string): boolean {
  return reference.startsWith("s3://") ? true : !url.startsWith("s3://") && !url.includes("${");
}

async function filledIn(
  name: string,
  repository: ConfiguredRepository,
  configPath: string,
  env: RepositorySources["env"],
): Promise<RepositorySettings> {
  const expandMember = (member: string, text: string): Promise<string> =>
    expandValue(text, `repositories.${name}.${member}`, { env, configPath });
  const expandOptional = async (member: "endpoint" | "region" | "accessKeyId" | "secretAccessKey") => {
    const text = repository[member];
    return text === undefined ? undefined : await expandMember(member, text);
  };
  const url = await expandMember("url", repository.url);
  const [endpoint, region] = [await expandOptional("endpoint"), await expandOptional("region")];
  const [accessKeyId, secretAccessKey] = [await expandOptional("accessKeyId"), await expandOptional("secretAccessKey")];
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    const message = `${configPath}: repositories.${name} needs accessKeyId and secretAccessKey, or neither`;
    throw new StackferryError("config", message, { hint: "without both, the usual AWS variables and files are used" });
  }
  const recipients = await Promise.all(
    (repository.recipients ?? []).map((text, index) => expandMember(`recipients.${index}`, text)),
  );
  const sign = repository.sign === undefined ? undefined : await expandMember("sign", repository.sign);
  return {
    ...(recipients.length > 0 && { recipients }),
    ...(sign !== undefined && { sign: resolve(dirname(configPath), sign) }),
    ...(repository.keep !== undefined && { keep: repository.keep }),
    address: url.startsWith("s3://") ? url : resolve(dirname(configPath), url),
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(repository.forcePathStyle !== undefined && { forcePathStyle: repository.forcePathStyle }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
  };
}

function isBelow(address: string, repository: string): boolean {
  const root = repository.replace(/\/$/, "");
  return address === root || address.startsWith(`${root}/`);
}

/** Reads the variables that every AWS program reads, from the run's own environment. */
function fromEnvironment(env: RepositorySources["env"]): Omit<RepositorySettings, "address"> {
  const endpoint = env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"];
  const region = env["AWS_REGION"] || env["AWS_DEFAULT_REGION"];
  const accessKeyId = env["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"];
  const sessionToken = env["AWS_SESSION_TOKEN"];
  const pair = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  return {
    ...(endpoint && { endpoint }),
    ...(region && { region }),
    ...(pair !== undefined && { credentials: { ...pair, ...(sessionToken && { sessionToken }) } }),
  };
}
