import type { KeyObject } from "node:crypto";
import { StackferryError } from "../core/errors.ts";
import { ARCHIVE_FORMAT_VERSION, type ManifestEntry, type ManifestHeader } from "../core/manifest.ts";
import type { ArchiveSummary, ArchiveWriter, EncodedRecord } from "../core/ports.ts";
import { fileError } from "../files/errors.ts";
import type { StackRecord } from "../core/records/record.ts";
import { createEncrypter, type ArchiveEncryption } from "./age.ts";
import { type EntrySink, sha256, MANIFEST_PATH } from "./entry.ts";
import { createRecordEncoder } from "./record.ts";
import { createFolderSink, entryTypeAt, inspectExistingFolder, retryIfReplaced } from "./folder.ts";
import { archiveLimits, type ArchiveLimits } from "./limits.ts";
import { encodeManifest } from "./manifest.ts";
import { requireEd25519, stageSignature, type StagedSignature } from "./signature.ts";

export interface ArchiveWriterOptions {
  readonly path: string;
  readonly format: "zip" | "folder";
  /** Applies only to a zip. */
  readonly encryption?: ArchiveEncryption;
  /** Ed25519 private key. The signature goes to `<path>.sig`. */
  readonly signer?: KeyObject;
  /** `add` does not check an `EncodedRecord` against the limits of one record. */
  readonly limits?: Partial<ArchiveLimits>;
}

/**
 * Calls run one after another. After a `protocol` error, other records can be added.
 * @throws StackferryError also from the writer's methods: `protocol`, `usage`, `incomplete`, `secret-in-output`, `archive-io`
 */
export async function createArchiveWriter(options: ArchiveWriterOptions): Promise<ArchiveWriter> {
  const limits = { ...archiveLimits, ...options.limits };
  if (options.signer !== undefined) requireEd25519(options.signer, "private");
  try {
    return new Writer(options, await openSink(options, limits), limits);
  } catch (error) {
    throw fileError("write the archive", options.path, error);
  }
}

async function openSink(
  { path, format, encryption }: ArchiveWriterOptions,
  { maxRatio }: ArchiveLimits,
): Promise<EntrySink> {
  const encrypter = encryption === undefined ? undefined : await createEncrypter(encryption);
  const existing = await entryTypeAt(path);
  const wrong = format === "zip" ? "folder" : "file";
  if (existing === wrong) {
    const hint = "choose another path, or the other --format";
    throw new StackferryError("usage", `${path} is a ${wrong}; the format ${format} cannot replace it`, { hint });
  }
  if (format === "zip") {
    // Loaded on demand: the zip writer loads slowly.
    const { createZipSink } = await import("./zip/sink.ts");
    return createZipSink({ path, maxRatio, encrypter });
  }
  // `finish` checks again; an early check makes a hopeless export fail at once.
  await retryIfReplaced(path, async () => {
    if ((await entryTypeAt(path)) === "folder") await inspectExistingFolder(path);
  });
  return createFolderSink(path);
}

class Writer implements ArchiveWriter {
  readonly #path: string;
  readonly #signer: KeyObject | undefined;
  readonly #sink: EntrySink;
  readonly #limits: ArchiveLimits;
  readonly #encode: ReturnType<typeof createRecordEncoder>;
  readonly #entries = new Map<string, ManifestEntry>();
  #total = 0;
  #isOpen = true;
  #signature: StagedSignature | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ path, signer }: ArchiveWriterOptions, sink: EntrySink, limits: ArchiveLimits) {
    this.#path = path;
    this.#signer = signer;
    this.#sink = sink;
    this.#limits = limits;
    this.#encode = createRecordEncoder(limits);
  }

  async add(record: StackRecord | EncodedRecord): Promise<ManifestEntry> {
    const encoded = "entry" in record ? record : this.#encode(record);
    return this.#inTurn(() => this.#write(encoded));
  }

  finish(header: ManifestHeader): Promise<ArchiveSummary> {
    return this.#inTurn(() => this.#close(header));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last;
    this.#isOpen = false;
    await this.#sink.discard();
    await this.#signature?.discard();
  }

  #inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(act).catch((error: unknown) => {
      throw fileError("write the archive", this.#path, error);
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #write({ entry, bytes }: EncodedRecord): Promise<ManifestEntry> {
    const { maxEntries, maxTotalBytes } = this.#limits;
    this.#refuseWhenClosed();
    if (this.#entries.has(entry.path)) throw duplicateError(entry);
    // 2: the new record and the manifest.
    const isFull = this.#entries.size + 2 > maxEntries || this.#total + entry.bytes > maxTotalBytes;
    if (isFull) throw tooMuch(this.#limits);
    // After a failed write, the writer stays closed, because the sink can contain half a file.
    this.#isOpen = false;
    await this.#sink.write(entry.path, bytes);
    this.#isOpen = true;
    this.#entries.set(entry.path, entry);
    this.#total += entry.bytes;
    return entry;
  }

  async #close(header: ManifestHeader): Promise<ArchiveSummary> {
    this.#refuseWhenClosed();
    const { bytes, contentDigest } = encodeManifest(header, [...this.#entries.values()], this.#limits);
    this.#isOpen = false;
    await this.#sink.write(MANIFEST_PATH, bytes);
    if (this.#signer !== undefined) {
      this.#signature = await stageSignature(this.#path, this.#signer, contentDigest, sha256(bytes));
    }
    const size = await this.#sink.finish();
    await this.#signature?.place();
    return { path: this.#path, formatVersion: ARCHIVE_FORMAT_VERSION, contentDigest, bytes: size };
  }

  #refuseWhenClosed(): void {
    if (this.#isOpen) return;
    const hint = "begin a new archive";
    throw new StackferryError("usage", `the archive ${this.#path} has been finished or has failed`, { hint });
  }
}

function duplicateError({ path }: ManifestEntry): StackferryError {
  const hint = "the stack listed this id twice; export again, and if the error stays, report the error";
  return new StackferryError("protocol", `${path} is already in the archive`, { hint });
}

function tooMuch({ maxEntries, maxTotalBytes }: ArchiveLimits): StackferryError {
  const most = `${maxEntries} files and ${maxTotalBytes} bytes`;
  const hint = "split the export with --kinds or --include";
  return new StackferryError("usage", `an archive holds at most ${most}`, { hint });
}
