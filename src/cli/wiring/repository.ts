import {
  resolveRepositorySettings,
  type RepositoryKeyFiles,
  type RepositorySettings,
} from "../../config/repositories.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Repository } from "../../core/ports.ts";
import { closestName } from "../../core/text/similarity.ts";
import { openRepository } from "../../storage/open-repository.ts";
import { secretsOfS3 } from "../../storage/s3-settings.ts";
import type { Session } from "../program/session.ts";
import { loadSessionConfig, stackSourcesOf } from "./config.ts";

/** Opens the repository that a REPO argument names. From then on, its credentials are neither printed nor sent in a record. */
export async function openRepositoryFor(reference: string, session: Session): Promise<OpenedRepository> {
  const { io, globals } = session;
  const settings = await repositorySettingsFor(reference, session);
  const { address, recipients: _recipients, sign: _sign, keep: _keep, keyFiles = {}, ...s3 } = settings;
  const onCredentials = (secrets: readonly string[]): void => session.addCredentials(...secrets);
  if (s3.credentials !== undefined) onCredentials(secretsOfS3(s3.credentials));
  // In every run, the AWS SDK prints on stderr which version of Node it will require. The message is turned off, because users
  // cannot act on it and cron would mail it.
  if (address.startsWith("s3://")) process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  const { timeout } = globals.pacing;
  const options = { cwd: io.cwd, s3: { ...s3, onCredentials, ...(timeout !== undefined && { timeoutMs: timeout }) } };
  const repository = await openRepository(address, options).catch(async (error: unknown) => {
    throw await withMeantRepository(error, reference, session);
  });
  return Object.assign(repository, { place: `${s3.endpoint ?? ""} ${repository.address}`, keyFiles });
}

/** Adds the configured repository that was probably meant to the error of a folder that is missing. */
async function withMeantRepository(error: unknown, reference: string, session: Session): Promise<unknown> {
  const name = reference.replace(/\/+$/, "");
  if (!(error instanceof StackferryError) || error.code !== "usage" || name.includes("/")) return error;
  const { path, repositories } = await loadSessionConfig(session);
  const names = [...repositories.keys()];
  if (names.includes(reference)) return error;
  const meant = names.find((each) => each === name) ?? closestName(name, names);
  const noConfig = `if ${name} is a name, there is no stackferry.yaml in ${session.io.cwd} that has it (--config FILE); else ${error.hint ?? ""}`;
  const hint = meant === undefined ? (path === undefined ? noConfig : error.hint) : `did you mean ${meant}?`;
  return new StackferryError("usage", error.message, { hint, cause: error });
}

export interface OpenedRepository extends Repository {
  /** Endpoint and address, which identify the repository: two object stores can have buckets of the same name. */
  readonly place: string;
  readonly keyFiles: RepositoryKeyFiles;
}

/** Resolves a REPO argument to a repository's address and its settings in the configuration. */
export async function repositorySettingsFor(
  reference: string,
  session: Pick<Session, "io" | "globals">,
): Promise<RepositorySettings> {
  return await resolveRepositorySettings(reference, stackSourcesOf(await loadSessionConfig(session), session));
}
