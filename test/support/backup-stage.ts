import { existsSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { openArchive } from "../../src/archive/reader.ts";
import { createArchiveWriter } from "../../src/archive/writer.ts";
import { describeContent, writeEntry } from "../../src/backup/archive-entry.ts";
import {
  backupStack,
  type BackupInput,
  type BackupResult,
  type ExportedBackup,
  type ExportOrder,
} from "../../src/backup/backup.ts";
import { backupAll, type BackupEnd } from "../../src/backup/backup-all.ts";
import { acceptNewestArchive, checkRepository, type CheckInput, type StackCheck } from "../../src/backup/check.ts";
import { selectBackup, type ArchiveChoice } from "../../src/backup/select-backup.ts";
import type { BackupContext } from "../../src/backup/backup-context.ts";
import { pruneStack, type PruneVerdict } from "../../src/backup/prune.ts";
import type { RetentionPolicy } from "../../src/core/retention-policy.ts";
import { parsePeriod } from "../../src/config/time.ts";
import type { ManifestHeader } from "../../src/core/manifest.ts";
import type { Repository } from "../../src/core/ports.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { digestRecord, recordsDigest } from "../../src/references/record-content.ts";
import { openFolderRepository } from "../../src/storage/directory.ts";
import { openRepository } from "../../src/storage/open-repository.ts";
import { simulatedClock, type SimulatedClock } from "../simulation/simulated-clock.ts";
import { sampleHeader, sampleRecord } from "./archive-samples.ts";
import { seededRandom } from "./seeded-random.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { digestFile } from "../../src/files/regular-file.ts";
import { createTemporaryFolder } from "../../src/files/temporary-folder.ts";

export const openFolder = openFolderRepository;
export { StackferryError } from "../../src/core/errors.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** The size of the header before an entry's name in a zip. */
const LOCAL_HEADER_BYTES = 30;

/** The time at which the clock of stored backups starts. */
export const BACKUPS_START = Date.UTC(2026, 10, 21, 4, 15);

/** The input of a backup in these tests. Every member has a default. */
export interface BackupOptions extends Partial<BackupInput> {
  readonly encrypted?: boolean;
  /** The address of the stack. */
  readonly source?: ManifestHeader["source"];
  readonly signed?: boolean;
  readonly records?: readonly StackRecord[];
  /** The kinds of the manifest. By default, the kinds of the records are complete. */
  readonly kinds?: ManifestHeader["kinds"];
  /** Called after the stack has been exported. */
  readonly during?: () => Promise<void>;
}

/** A repository in a folder, with a clock that a test sets. It records every change of the repository. */
export interface BackupStage {
  readonly path: string;
  readonly repository: Repository;
  readonly clock: SimulatedClock;
  readonly context: BackupContext;
  /** The changes of the repository: `put NAME`, `remove NAME`, `write NAME`, without the claims on a time. */
  readonly changes: string[];
  /** The names of the files that were fetched. */
  readonly fetched: string[];
  /** The codes of the warnings. */
  readonly warnings: string[];
  /** The reported phases, each with the stack that it names. */
  readonly phases: string[];
  /** Makes this signal interrupt the jobs that start from now on. */
  stopBy(signal: AbortSignal): void;
  /** Called before each change of the repository and each `fetch NAME`. If it throws, the operation fails with this error. */
  beforeStep: (step: string) => void | Promise<void>;
  /** Tells whether this machine still has its own record of the backups. */
  hasState: boolean;
  /** Tells whether the key of encrypted archives is given. */
  hasKey: boolean;
  /** Backs up the stack `s`. */
  backup(options?: BackupOptions): Promise<BackupResult>;
  backupSeveral(inputs: readonly BackupOptions[], parallel?: number): Promise<BackupEnd[]>;
  prune(policy: RetentionPolicy, more?: { readonly dryRun?: boolean }): Promise<PruneVerdict[]>;
  check(input?: Partial<CheckInput>): Promise<StackCheck[]>;
  choose(choice: ArchiveChoice): Promise<string>;
  /** Returns the names of the archives of `s`, the oldest first. */
  archives(): Promise<string[]>;
  /** Stores a complete archive under this name without a backup run, and returns its content digest. */
  store(
    name: string,
    records?: readonly StackRecord[],
    encrypted?: boolean,
    header?: Partial<ManifestHeader>,
  ): Promise<string>;
  /** Accepts the newest archive of `s` as good. */
  accept(): Promise<string | undefined>;
  /** Overwrites a file of the repository. */
  overwrite(name: string, bytes: string | Buffer): Promise<void>;
  /** Changes bytes of a stored file: in its middle, or in the content of its first record. */
  damage(name: string, where?: "middle" | "first record"): Promise<void>;
  /** Copies the repository, its clock and this machine's record, so that tests can begin with the same backups. */
  copy(): Promise<BackupStage>;
}

/** What a copy takes over. */
interface Origin {
  readonly path: string;
  readonly now: number;
  readonly known: ReadonlyMap<string, string>;
  readonly identity: string;
}

/** Returns the records of a stack. The first record has this name. */
export function stackContent(name: string): StackRecord[] {
  return [
    sampleRecord("one", "webhooks", { name, service: "generic" }),
    sampleRecord("two", "webhooks"),
    sampleRecord("three", "dashboards", { tiles: [] }),
  ];
}

/** Makes one backup a day, each with these records. */
export async function dailyBackups(...days: readonly (readonly StackRecord[] | BackupOptions)[]): Promise<BackupStage> {
  const stage = await backupStage();
  for (const [index, day] of days.entries()) {
    if (index > 0) await stage.clock.advance(DAY);
    await stage.backup(Array.isArray(day) ? { records: day } : (day as BackupOptions));
  }
  return stage;
}

/** Backs up the stack `s` a day later. */
export async function nextDay(stage: BackupStage, options?: BackupOptions): Promise<BackupResult> {
  await stage.clock.advance(DAY);
  return await stage.backup(options);
}

/** Returns a function that makes these backups once for each file of tests, and returns a copy of them each time. */
export function copiesOf(make: () => Promise<BackupStage>): () => Promise<BackupStage> {
  let made: Promise<BackupStage> | undefined;
  return async () => {
    // Temporary folders last as long as the file of tests that made them.
    if (made !== undefined && !existsSync((await made).path)) made = undefined;
    return (await (made ??= make())).copy();
  };
}

/** Runs this while each of these steps fails with this error. */
export async function whileFailing<T>(
  stage: BackupStage,
  steps: RegExp,
  error: Error,
  run: () => Promise<T>,
): Promise<T> {
  const { beforeStep } = stage;
  stage.beforeStep = (step) => {
    if (steps.test(step)) throw error;
  };
  try {
    return await run();
  } finally {
    stage.beforeStep = beforeStep;
  }
}

/** Sets up an empty repository. */
export function backupStage(): Promise<BackupStage> {
  return backupsFrom(undefined);
}

async function backupsFrom(origin: Origin | undefined): Promise<BackupStage> {
  const path = temporaryFolder();
  if (origin) await cp(origin.path, path, { recursive: true, preserveTimestamps: true });
  const folder = await openRepository(path, { cwd: "/", s3: {} });
  const clock = simulatedClock(origin?.now ?? BACKUPS_START);
  const identity = origin?.identity ?? (await generateIdentity());
  const recipients = [await identityToRecipient(identity)];
  const step = async (text: string): Promise<void> => {
    if (text.includes(".run-")) return;
    await stage.beforeStep(text);
    stage.changes.push(text);
  };
  const repository: Repository = {
    ...folder,
    async fetch(name, localPath, signal) {
      stage.fetched.push(name);
      await stage.beforeStep(`fetch ${name}`);
      await folder.fetch(name, localPath, signal);
    },
    async put(localPath, name, signal) {
      await step(`put ${name}`);
      await folder.put(localPath, name, signal);
    },
    async remove(name) {
      await step(`remove ${name}`);
      await folder.remove(name);
    },
    async writeText(name, text) {
      await step(`write ${name}`);
      await folder.writeText(name, text);
    },
  };
  const known = new Map(origin?.known);
  const tokens = seededRandom(1);
  const context: BackupContext = {
    events: (event) => {
      if (event.type === "warning") stage.warnings.push(event.warning.code);
      if (event.type === "phase") stage.phases.push(`${event.stack ?? ""}: ${event.phase}`);
    },
    repository,
    clock,
    createTemporaryFolder,
    digestFile,
    openArchive: (file) => {
      const keys = async () => ({ identities: stage.hasKey ? [identity] : [], passphrases: [] });
      return openArchive(file, { keys });
    },
    checksSignature: false,
    minShare: 0.5,
    localRecord: {
      lastGoodBackupAt: async (stack) => (stage.hasState ? known.get(stack) : undefined),
      recordGoodBackup: async (stack, at) => void known.set(stack, at),
    },
    createToken: () =>
      tokens
        .below(2 ** 32)
        .toString(16)
        .padStart(8, "0"),
  };
  const write = async (
    { path: file, stack, createdAt }: ExportOrder,
    records: readonly StackRecord[],
    encrypted: boolean,
    more: Partial<ManifestHeader> = {},
  ): Promise<ExportedBackup> => {
    const encryption = encrypted ? { encryption: { recipients } } : {};
    await using writer = await createArchiveWriter({ path: file, format: "zip", ...encryption });
    for (const record of records) await writer.add(record);
    const header = sampleHeader(records, { stack, createdAt: new Date(createdAt).toISOString(), ...more });
    const { contentDigest } = await writer.finish(header);
    const { kinds, source } = header;
    return { contentDigest, recordsDigest: recordsDigest(records.map(digestRecord)), kinds, source };
  };
  const inputOf = (options: BackupOptions): BackupInput => {
    const {
      records = stackContent("first"),
      kinds,
      source,
      during,
      encrypted = false,
      signed = false,
      ...input
    } = options;
    const exportTo: BackupInput["exportTo"] = async (order) => {
      if (signed) await writeFile(`${order.path}.sig`, "a signature");
      const exported = await write(order, records, encrypted, { ...(kinds && { kinds }), ...(source && { source }) });
      await during?.();
      return exported;
    };
    const protection = { encryptedFor: encrypted ? "readers" : undefined, signedBy: signed ? "signer" : undefined };
    return { stack: "s", exportTo, ...protection, ifChanged: false, ...input };
  };
  const stage: BackupStage = {
    path,
    repository,
    clock,
    context,
    changes: [],
    fetched: [],
    warnings: [],
    phases: [],
    stopBy: (signal) => void Object.assign(context, { signal }),
    beforeStep: () => {},
    hasState: true,
    hasKey: true,
    backup: (options = {}) => backupStack(inputOf(options), context),
    backupSeveral: (inputs, parallel = 2) => backupAll(inputs.map(inputOf), parallel, context),
    prune: (policy, { dryRun = false } = {}) =>
      pruneStack({ stack: "s", policy, dryRun }, { ...context, isClockTrusted: true }),
    check: (input = {}) => checkRepository({ stacks: [], percent: 100, random: () => 0.5, ...input }, context),
    accept: () => acceptNewestArchive("s", context),
    choose: async (choice) => (await selectBackup("s", choice, context)).name,
    archives: async () => {
      const files = await repository.list("s/");
      return files.map(({ name }) => name).filter((name) => /\.zip(\.age)?$/.test(name));
    },
    async store(name, records = stackContent("first"), encrypted = false, header = {}) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      const [stack = "", file = ""] = name.split("/");
      const createdAt = parsePeriod(file.split(".")[0] ?? "", 0)?.end ?? 999;
      const order = { path: join(path, name), stack, createdAt: createdAt - 999 };
      const content = describeContent(await write(order, records, encrypted, header));
      const entry = { archive: name, ...(await digestFile(order.path)), ...content };
      await writeEntry({ name, stack, at: order.createdAt, encrypted, bytes: entry.bytes }, entry, folder);
      return content.contentDigest;
    },
    async overwrite(name, bytes) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), bytes);
    },
    async damage(name, where = "middle") {
      const bytes = await readFile(join(path, name));
      const start = where === "middle" ? Math.floor(bytes.length / 2) : LOCAL_HEADER_BYTES + "webhooks/one.json".length;
      for (let at = start; at < start + 20; at += 1) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      await writeFile(join(path, name), bytes);
    },
    copy: () => backupsFrom({ path, now: clock.now(), known, identity }),
  };
  return stage;
}

/** Returns the name of an archive of `s` that is made that many hours after the start. */
export function nameAt(hours: number, encrypted = false): string {
  const stamp = new Date(BACKUPS_START + hours * HOUR).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return `s/${stamp}.zip${encrypted ? ".age" : ""}`;
}

/** Returns the name of a file beside an archive. */
export function besideOf(archive: string, ending: string): string {
  return archive.replace(/\.zip(\.age)?$/, `.${ending}`);
}

/** Opens a bucket of an object store at this address. */
export async function openBucket(endpoint: string, maxListed: number): Promise<Repository> {
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  return await openRepository("s3://bucket/p", { cwd: "/", s3: { endpoint, region: "r", credentials, maxListed } });
}
