import { randomBytes, type KeyObject } from "node:crypto";
import { dirname, isAbsolute, join } from "node:path";
import { z } from "zod";
import {
  resolveRepositorySettings,
  type RepositoryKeyFiles,
  type RepositorySettings,
} from "../../config/repositories.ts";
import { StackferryError, rewordError } from "../../core/errors.ts";
import type { Clock, Repository, S3Access } from "../../core/ports.ts";
import { openRepository } from "../../storage/open-repository.ts";
import type { Session } from "../program/session.ts";
import { sha256 } from "../../archive/entry.ts";
import { openArchive } from "../../archive/reader.ts";
import type { BackupContext, LocalBackupRecord } from "../../backup/backup-context.ts";
import { DEFAULT_MIN_SHARE } from "../../backup/suspect.ts";
import { systemClock } from "../../client/clock.ts";
import { parseJsonAs } from "../../core/json.ts";
import { makePrivateFolder, writeAtomically } from "../../files/atomic-write.ts";
import { createTemporaryFolder } from "../../files/temporary-folder.ts";
import { digestFile, readRegularFile } from "../../files/regular-file.ts";
import { createKeySource } from "./keys.ts";
import { loadSessionConfig, stackSourcesOf } from "./config.ts";

/** After this call, the credentials are neither printed nor sent in a record. */
export async function openRepositoryFor(reference: string, session: Session): Promise<OpenedRepository> {
  const { io, globals } = session;
  const settings = await repositorySettingsFor(reference, session);
  const { address, recipients: _recipients, sign: _sign, keep: _keep, keyFiles = {}, ...s3 } = settings;
  const onCredentials = ({ secretAccessKey, sessionToken }: NonNullable<S3Access["credentials"]>): void =>
    session.addCredentials(secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken]));
  if (s3.credentials !== undefined) onCredentials(s3.credentials);
  // In every run, the AWS SDK prints which version of Node it will require, and cron would mail the message.
  if (address.startsWith("s3://")) process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  const { timeout } = globals.pacing;
  const options = { cwd: io.cwd, s3: { ...s3, onCredentials, ...(timeout !== undefined && { timeoutMs: timeout }) } };
  const repository = await openRepository(address, options).catch(async (error: unknown) => {
    throw await asUnknownName(error, reference, session);
  });
  return Object.assign(repository, { place: `${s3.endpoint ?? ""} ${repository.address}`, keyFiles });
}

async function asUnknownName(error: unknown, reference: string, session: Session): Promise<unknown> {
  const { path, repositories } = await loadSessionConfig(session);
  const isName = /^[\w.-]+$/.test(reference) && !repositories.has(reference);
  if (!isName || !(error instanceof StackferryError) || !error.message.startsWith("there is no folder")) return error;
  const names = repositories.size === 0 ? "no repositories" : [...repositories.keys()].join(", ");
  const where = path === undefined ? `there is no stackferry.yaml in ${session.io.cwd}` : `${path} has ${names}`;
  return rewordError(
    error,
    `${error.message} (${where})`,
    `to name a repository of another configuration: --config FILE; else ${error.hint ?? ""}`,
  );
}

export interface OpenedRepository extends Repository {
  /** Endpoint and address, because two object stores can have buckets of the same name. */
  readonly place: string;
  readonly keyFiles: RepositoryKeyFiles;
}

export async function repositorySettingsFor(
  reference: string,
  session: Pick<Session, "io" | "globals">,
): Promise<RepositorySettings> {
  return await resolveRepositorySettings(reference, stackSourcesOf(await loadSessionConfig(session), session));
}

/** @param signer the key that must have signed the archives */
export async function createBackupContext(
  repository: OpenedRepository,
  session: Session,
  signer?: KeyObject,
): Promise<BackupContext> {
  const { backup } = await loadSessionConfig(session);
  const clock: Clock = { now: () => session.io.now(), sleep: (ms, signal) => systemClock.sleep(ms, signal) };
  return {
    events: session.events,
    signal: session.signal,
    repository,
    clock,
    createTemporaryFolder,
    digestFile,
    openArchive: (path) => openArchive(path, { keys: createKeySource(session, repository.keyFiles), signer }),
    checksSignature: signer !== undefined,
    minShare: backup?.minShare ?? DEFAULT_MIN_SHARE,
    localRecord: createLocalRecord(repository.place, session),
    createToken: () => randomBytes(4).toString("hex"),
  };
}

const knownSchema = z.looseObject({ repository: z.string(), stack: z.string(), storedAt: z.string() });

/** Remembers good backups on this machine: an emptied or unmounted repository cannot tell that it had any. */
function createLocalRecord(place: string, { io: { env } }: Pick<Session, "io">): LocalBackupRecord {
  const folder = stateFolder(env);
  if (folder === undefined) return { lastGoodBackupAt: async () => undefined, recordGoodBackup: async () => {} };
  const fileOf = (stack: string): string =>
    join(folder, "backups", `${sha256(JSON.stringify([place, stack])).slice(0, 32)}.json`);
  return {
    async lastGoodBackupAt(stack) {
      try {
        return parseJsonAs(knownSchema, await readRegularFile(fileOf(stack)))?.storedAt;
      } catch {
        return undefined;
      }
    },
    async recordGoodBackup(stack, storedAt) {
      const path = fileOf(stack);
      try {
        await makePrivateFolder(dirname(path));
        await writeAtomically(path, `${JSON.stringify({ repository: place, stack, storedAt })}\n`);
      } catch {
        // Ignored: a container often has no state folder, and the repository has its own file `good`.
      }
    },
  };
}

/** A relative `XDG_STATE_HOME` is ignored, as its specification demands. */
function stateFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { XDG_STATE_HOME: state, HOME: home } = env;
  if (state !== undefined && isAbsolute(state)) return join(state, "stackferry");
  return home !== undefined && isAbsolute(home) ? join(home, ".local", "state", "stackferry") : undefined;
}
