import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  paginateListObjectsV2,
  type ListObjectsV2CommandOutput,
} from "@aws-sdk/client-s3";
import { z } from "zod";
import { StackferryError } from "../core/errors.ts";
import type { Repository, S3Access, StoredFile } from "../core/ports.ts";
import { fileError } from "../files/errors.ts";
import { MAX_TEXT_FILE_BYTES } from "../files/regular-file.ts";
import {
  requireSafeName,
  endlessListError,
  notStoredError,
  NotObjectStoreError,
  s3ErrorDetails,
  s3Error,
  MAX_LISTED,
} from "./errors.ts";

export interface S3Settings extends S3Access {
  readonly timeoutMs?: number;
  readonly maxListed?: number;
  /** Gets the credentials in use, because the SDK can find them in a profile file or a role. */
  readonly onCredentials?: (credentials: NonNullable<S3Access["credentials"]>) => void;
  readonly attempts?: number;
}

export interface S3Address {
  readonly bucket: string;
  /** Empty, or with `/` at the end. */
  readonly prefix: string;
}

interface S3Object {
  readonly Bucket: string;
  readonly Key: string;
}

interface BucketPrefix extends S3Address {
  readonly client: S3Client;
  readonly address: string;
}

export function openS3Repository({ bucket, prefix }: S3Address, settings: S3Settings): Repository {
  const client = new S3Client(clientConfig(settings));
  const address = `s3://${bucket}/${prefix}`.replace(/\/$/, "");
  const place: BucketPrefix = { client, bucket, prefix, address };
  const objectOf = (name: string): S3Object => ({ Bucket: bucket, Key: prefix + requireSafeName(name) });
  let ahead: number | undefined;
  watchAnswers(client, async (date) => {
    settings.onCredentials?.(await client.config.credentials());
    if (!Number.isNaN(date)) ahead = Date.now() - date;
  });

  async function attempt<Result>(doing: string, name: string, act: () => Promise<Result>, signal?: AbortSignal) {
    try {
      signal?.throwIfAborted();
      return await act();
    } catch (error) {
      if (isMissing(error)) throw notStoredError(name, address, error);
      throw s3Error(doing, `${address}/${name}`.replace(/\/$/, ""), error, signal);
    }
  }

  return {
    address,
    list: (below, signal) => attempt("list", below, () => listFiles(place, below, settings.maxListed), signal),
    fetch: (name, localPath, signal) =>
      attempt("read", name, () => fetchFile(client, objectOf(name), localPath, signal), signal),
    put: (localPath, name, signal) =>
      attempt("write", name, () => sendFile(client, objectOf(name), localPath, signal), signal),
    readText: (name) => attempt("read", name, () => readText(client, objectOf(name))),
    writeText: (name, text) =>
      attempt("write", name, async () => {
        await client.send(new PutObjectCommand({ ...objectOf(name), Body: Buffer.from(text) }));
      }),
    remove: (name) =>
      attempt("remove", name, async () => {
        await client.send(new DeleteObjectCommand(objectOf(name)));
      }),
    clockAhead: () =>
      attempt("list", "", async () => {
        if (ahead === undefined) await listFiles(place, ".", settings.maxListed);
        return ahead ?? 0;
      }),
    [Symbol.asyncDispose]: async () => client.destroy(),
  };
}

async function listFiles(place: BucketPrefix, below: string, maxListed = MAX_LISTED): Promise<StoredFile[]> {
  const { client, bucket, prefix, address } = place;
  const files: StoredFile[] = [];
  const tokens = new Set<string>();
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix + below })) {
    if (!isListing(page)) throw new NotObjectStoreError("not the list of a bucket");
    // Tokens are counted, too, because a store can send pages without keys for ever.
    if (files.length > maxListed || tokens.size > maxListed / MIN_PAGE)
      throw endlessListError(`${address}/${below}`, maxListed);
    const { IsTruncated, NextContinuationToken: token } = page;
    // Without a new token, the list would end early, perhaps without the newest backup.
    const isCut = IsTruncated === true && !token;
    if (isCut || (token !== undefined && tokens.has(token))) throw endlessListError(`${address}/${below}`, maxListed);
    if (token !== undefined) tokens.add(token);
    files.push(...filesOf(page, prefix));
  }
  return files.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function filesOf({ Contents = [] }: ListObjectsV2CommandOutput, prefix: string): StoredFile[] {
  return Contents.flatMap(({ Key = "", Size = 0, LastModified }): StoredFile[] => {
    const name = Key.slice(prefix.length);
    // Without a time, the file counts as new, so that no run removes the file as a leftover.
    const modifiedAt = LastModified?.getTime() ?? Infinity;
    return name === "" || name.endsWith("/") ? [] : [{ name, bytes: Size, modifiedAt }];
  });
}

function isMissing(error: unknown): boolean {
  return s3ErrorDetails(error).name === "NoSuchKey";
}

async function open(client: S3Client, object: S3Object, abortSignal?: AbortSignal) {
  const { Body } = await client.send(new GetObjectCommand(object), { abortSignal });
  return Body?.transformToWebStream() ?? [];
}

async function readText(client: S3Client, object: S3Object): Promise<string | undefined> {
  try {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of await open(client, object)) {
      bytes += chunk.length;
      if (bytes > MAX_TEXT_FILE_BYTES) return "";
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Reads the object back, because a store or a proxy may lose data without an error. */
async function sendFile(client: S3Client, object: S3Object, localPath: string, signal?: AbortSignal): Promise<void> {
  const sent = await readFile(localPath);
  await client.send(new PutObjectCommand({ ...object, Body: sent }), { abortSignal: signal });
  const arrived = createHash("sha256");
  for await (const chunk of await open(client, object, signal)) arrived.update(chunk);
  if (arrived.digest("hex") === createHash("sha256").update(sent).digest("hex")) return;
  throw new StackferryError("archive-io", `s3://${object.Bucket}/${object.Key} was not stored as it was sent`, {
    hint: "run again; if it happens again, the store or something in front of it loses data",
  });
}

/** A failure can leave a partial file, which the caller removes with the temporary folder. */
async function fetchFile(client: S3Client, object: S3Object, localPath: string, signal?: AbortSignal): Promise<void> {
  const stored = await open(client, object, signal);
  const file = createWriteStream(localPath, { flags: "wx", mode: 0o600 });
  await pipeline(stored, file, { signal }).catch((error: unknown) => {
    throw file.errored !== null && "syscall" in file.errored ? fileError("write", localPath, error) : error;
  });
}

/** Assumed minimum of keys per page, to limit the number of pages. */
const MIN_PAGE = 100;

/** The SDK reads an HTML page as an empty list. */
function isListing({ Name, Prefix, KeyCount, MaxKeys, IsTruncated }: ListObjectsV2CommandOutput): boolean {
  return [Name, Prefix, KeyCount, MaxKeys, IsTruncated].some((member) => member !== undefined);
}

/** Without a timeout, the SDK waits for ever. */
const TIMEOUT_MS = 60_000;

function clientConfig({ endpoint, region, forcePathStyle, credentials, attempts, timeoutMs = TIMEOUT_MS }: S3Settings) {
  const pathStyle = forcePathStyle ?? endpoint !== undefined;
  return {
    endpoint,
    region,
    credentials,
    forcePathStyle: pathStyle,
    maxAttempts: attempts ?? 4,
    requestHandler: {
      connectionTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // Otherwise NODE_TLS_REJECT_UNAUTHORIZED=0 would turn off certificate checks.
      httpsAgent: { rejectUnauthorized: true },
    },
  };
}

const datedSchema = z.object({ headers: z.object({ date: z.string() }) });

/**
 * Once a response arrives, the SDK has certainly found credentials.
 * @param onAnswer gets the response's Date header in Unix milliseconds, or NaN
 */
function watchAnswers(client: S3Client, onAnswer: (date: number) => Promise<void>): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { data } = datedSchema.safeParse(result.response);
      await onAnswer(Date.parse(data?.headers.date ?? ""));
      return result;
    },
    { step: "deserialize", priority: "low", name: "stackferryAnswers" },
  );
}
