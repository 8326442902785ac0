import type { KeyObject } from "node:crypto";
import { resolve } from "node:path";
import {
  createDecrypter,
  createEncrypter,
  type ArchiveEncryption,
  type ArchiveKeys,
  type KeySource,
} from "../../archive/age.ts";
import { keyFingerprint } from "../../archive/signature.ts";
import type { RepositoryKeyFiles, RepositorySettings } from "../../config/repositories.ts";
import {
  loadIdentities,
  loadPassphrase,
  loadSignerKey,
  loadSigningKey,
  type LoadedSecret,
} from "../../config/secrets/archive-secrets.ts";
import { getOrMake } from "../../core/collections.ts";
import { StackferryError } from "../../core/errors.ts";
import { withoutLineEnd } from "../../core/text/encoding.ts";
import type { ArchiveProtection } from "../../library/export-archive.ts";
import type { Session } from "../program/session.ts";

/** Keeps the keys of a run, so opening many archives does not read the key files each time. */
const keysOfRuns = new WeakMap<Session, Map<string, Promise<ArchiveKeys>>>();

/** Keys load at the first encrypted archive: those of the flags, else of the repository, else of the environment. */
export function createKeySource(session: Session, files: RepositoryKeyFiles = {}): KeySource {
  const loaded = keysOfRuns.get(session) ?? new Map<string, Promise<ArchiveKeys>>();
  keysOfRuns.set(session, loaded);
  return () => getOrMake(loaded, JSON.stringify(files), () => keysOf(session, files));
}

async function keysOf(session: Session, files: RepositoryKeyFiles): Promise<ArchiveKeys> {
  const passphrase = await passphraseOf(session, files);
  return { identities: await identitiesOf(session, files), passphrases: passphrase === undefined ? [] : [passphrase] };
}

/**
 * Loads and checks the keys now. Returns false if there is no key.
 * @throws StackferryError `config` for an unusable key
 */
export async function loadKeysIfGiven(session: Session, files: RepositoryKeyFiles): Promise<boolean> {
  const keys = await createKeySource(session, files)();
  if (keys.identities.length + keys.passphrases.length === 0) return false;
  await createDecrypter(keys);
  return true;
}

/** age encrypts for recipients or with a passphrase, never for both. Undefined if there is neither. */
export async function chooseEncryption(
  recipients: readonly string[],
  session: Session,
  files: RepositoryKeyFiles = {},
): Promise<ArchiveEncryption | undefined> {
  if (recipients.length > 0) {
    if ((session.globals.passphraseFile ?? files.passphrase) || session.io.env["STACKFERRY_PASSPHRASE"]) {
      const message = "recipients and a passphrase are given, and an archive is encrypted for one of the two";
      const hint =
        "leave out --passphrase-file (STACKFERRY_PASSPHRASE, passphraseFile of the repository) or --recipient (recipients of the repository)";
      throw new StackferryError("usage", message, { hint });
    }
    // Reports invalid recipients before the first request.
    await createEncrypter({ recipients });
    return { recipients };
  }
  const passphrase = await passphraseOf(session, files);
  return passphrase === undefined ? undefined : { passphrase };
}

export interface ProtectionOptions {
  readonly recipient: readonly string[];
  readonly sign: string | undefined;
  /** True encrypts nothing, even if environment variables give a passphrase. */
  readonly plainText?: boolean | undefined;
}

export async function chooseProtection(
  { recipient, sign, plainText = false }: ProtectionOptions,
  session: Session,
  files: RepositoryKeyFiles = {},
): Promise<ArchiveProtection> {
  const encryption = plainText ? undefined : await chooseEncryption(recipient, session, files);
  const signer =
    sign === undefined ? undefined : await loadSecret(loadSigningKey, resolve(session.io.cwd, sign), session);
  return { encryption, signer };
}

export async function checkRepositoryKeys(
  { recipients = [], sign, keyFiles = {} }: Pick<RepositorySettings, "recipients" | "sign" | "keyFiles">,
  session: Session,
): Promise<void> {
  const { signer, identity, passphrase } = keyFiles;
  if (recipients.length > 0 || passphrase !== undefined) await chooseEncryption(recipients, session, keyFiles);
  const key = sign === undefined ? undefined : await loadSecret(loadSigningKey, sign, session);
  if (signer !== undefined) await loadSignerKey(signer);
  if (key !== undefined) await refuseOtherSignature(key, signer);
  if (identity !== undefined || passphrase !== undefined) await loadKeysIfGiven(session, keyFiles);
}

/** Throws if backups with this key would lack the signature that `check` and `restore` demand. */
export async function refuseOtherSignature(key: KeyObject | undefined, signer: string | undefined): Promise<void> {
  const demanded = signer === undefined ? undefined : keyFingerprint(await loadSignerKey(signer));
  if (demanded === undefined || (key !== undefined && keyFingerprint(key) === demanded)) return;
  const what = key === undefined ? "would not be signed" : "would be signed with another key";
  throw new StackferryError("config", `backups ${what}, and check and restore demand the signature of ${signer}`, {
    hint: "give its private key: `sign` of the repository, or --sign",
  });
}

async function identitiesOf(session: Session, files: RepositoryKeyFiles): Promise<string[]> {
  const { globals, io } = session;
  const { STACKFERRY_IDENTITY_FILE: fallback } = io.env;
  const configured = files.identity ?? fallback;
  const paths = globals.identity.length === 0 && configured ? [configured] : globals.identity;
  const identities: string[] = [];
  for (const file of paths) identities.push(...(await loadSecret(loadIdentities, resolve(io.cwd, file), session)));
  session.outputScrubber.add(...identities);
  return identities;
}

async function passphraseOf(session: Session, files: RepositoryKeyFiles): Promise<string | undefined> {
  const { globals, io } = session;
  const variable = io.env["STACKFERRY_PASSPHRASE"];
  const fallback = variable === undefined ? undefined : withoutLineEnd(variable);
  const file = globals.passphraseFile ?? files.passphrase;
  // An empty variable means that the secret was not supplied; a backup would be stored in plain text.
  if (file === undefined && fallback === "") {
    throw new StackferryError("config", "STACKFERRY_PASSPHRASE is empty", {
      hint: "set it to the passphrase, or unset it",
    });
  }
  const passphrase = file === undefined ? fallback : await loadSecret(loadPassphrase, resolve(io.cwd, file), session);
  if (passphrase !== undefined) session.outputScrubber.add(passphrase);
  return passphrase;
}

async function loadSecret<T>(
  load: (path: string) => Promise<LoadedSecret<T>>,
  path: string,
  { events }: Session,
): Promise<T> {
  const { value, warnings } = await load(path);
  for (const warning of warnings) events({ type: "warning", warning });
  return value;
}
