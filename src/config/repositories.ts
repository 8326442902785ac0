import { dirname, resolve } from "node:path";
import { StackferryError } from "../core/errors.ts";
import type { S3Access } from "../core/ports.ts";
import { withoutLineEnd } from "../core/text/encoding.ts";
import type { RetentionPolicy } from "../core/retention-policy.ts";
import type { ConfiguredRepository } from "./schema.ts";
import { expandValues, type ValueSources } from "./expand-values.ts";
import type { StackSources } from "./stacks/stacks.ts";

export interface RepositorySettings extends S3Access {
  /** The absolute path of a folder, or `s3://bucket/prefix`. */
  readonly address: string;
  readonly recipients?: readonly string[];
  readonly sign?: string;
  readonly keyFiles?: RepositoryKeyFiles;
  readonly keep?: RetentionPolicy;
}

/** Absolute paths. */
export interface RepositoryKeyFiles {
  readonly signer?: string | undefined;
  readonly identity?: string | undefined;
  readonly passphrase?: string | undefined;
}

export type RepositorySources = Pick<StackSources, "config" | "env" | "cwd">;

/** An `s3://` address gets the settings of the nearest configured repository at or above it. */
export async function resolveRepositorySettings(
  reference: string,
  { config, env, cwd }: RepositorySources,
): Promise<RepositorySettings> {
  const sources = { configPath: config.path ?? "", env };
  const configured = config.repositories.get(reference);
  if (configured !== undefined) return filledIn(reference, configured, sources, accessOfEnvironment(env));
  const isS3 = reference.startsWith("s3://");
  const fallback = isS3 ? accessOfEnvironment(env) : {};
  const address = isS3 ? reference : resolve(cwd, reference);
  const fitting: NamedSettings[] = [];
  for (const [name, each] of config.repositories) {
    const place = await placeOf(name, each, isS3, sources);
    const isMeant = place !== undefined && (isS3 ? isBelow(address, place) : place === address);
    if (isMeant) fitting.push({ name, settings: await filledIn(name, each, sources, fallback) });
  }
  return { ...fallback, ...meantSettings(reference, fitting), address };
}

interface NamedSettings {
  readonly name: string;
  readonly settings: RepositorySettings;
}

/** Different settings for one address are refused, because one of them may store backups unencrypted. */
function meantSettings(reference: string, fitting: readonly NamedSettings[]): RepositorySettings | undefined {
  const longest = Math.max(...fitting.map(({ settings }) => settings.address.length));
  const nearest = fitting.filter(({ settings }) => settings.address.length === longest);
  if (new Set(nearest.map(({ settings }) => JSON.stringify(settings))).size <= 1) return nearest[0]?.settings;
  const names = nearest.map(({ name }) => name).join(" and ");
  const message = `${reference} is the place of the repositories ${names}, which have different settings`;
  throw new StackferryError("config", message, {
    hint: "give the name of the repository that you mean instead of its address",
  });
}

/** Fills in `url` alone, because variables of the other settings may be missing. */
async function placeOf(
  name: string,
  { url }: ConfiguredRepository,
  isS3: boolean,
  sources: ValueSources,
): Promise<string | undefined> {
  if (!isS3 && url.startsWith("s3://")) return undefined;
  const filled = expandValues({ url }, `repositories.${name}`, sources);
  if (isS3) return (await filled).url;
  // A folder whose variable is missing is not the one that was meant.
  const folder = await filled.catch(() => undefined);
  return folder && resolve(dirname(sources.configPath), folder.url);
}

async function filledIn(
  name: string,
  configured: ConfiguredRepository,
  sources: ValueSources,
  fallback: S3Access,
): Promise<RepositorySettings> {
  const { configPath } = sources;
  const repository = await expandValues(configured, `repositories.${name}`, sources);
  const { url, endpoint, region, forcePathStyle, accessKeyId, secretAccessKey, recipients, keep } = repository;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    const message = `${configPath}: repositories.${name} needs accessKeyId and secretAccessKey, or neither`;
    throw new StackferryError("config", message, {
      hint: "without accessKeyId and secretAccessKey, the usual AWS variables and files are used",
    });
  }
  const fileOf = (file: string | undefined): string | undefined => file && resolve(dirname(configPath), file);
  const protection = {
    recipients,
    sign: fileOf(repository.sign),
    keyFiles: {
      signer: fileOf(repository.signer),
      identity: fileOf(repository.identity),
      passphrase: fileOf(repository.passphraseFile),
    },
    keep,
  };
  // A folder gets no endpoint: with an endpoint, the same folder would count as another repository.
  if (!url.startsWith("s3://")) return { ...protection, address: resolve(dirname(configPath), url) };
  return {
    ...protection,
    address: url,
    endpoint: endpoint ?? fallback.endpoint,
    region: region ?? fallback.region,
    forcePathStyle,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : fallback.credentials,
  };
}

function isBelow(address: string, repository: string): boolean {
  const root = repository.replace(/\/$/, "");
  return address === root || address.startsWith(`${root}/`);
}

function accessOfEnvironment(env: RepositorySources["env"]): S3Access {
  const [accessKeyId, secretAccessKey, token] = ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN"].map((part) =>
    withoutLineEnd(env[`AWS_${part}`] ?? ""),
  );
  return {
    endpoint: env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || undefined,
    region: env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || undefined,
    credentials:
      accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken: token || undefined } : undefined,
  };
}
