import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  paginateListObjectsV2,
  type ListObjectsV2CommandOutput,
} from "@aws-sdk/client-s3";
import type { ByteSource, Repository, StoredFile, StoredTextFile } from "../core/ports.ts";
import { fileError } from "../files/errors.ts";
import {
  requireSafeName,
  cutListError,
  endlessListError,
  notStoredError,
  MAX_LISTED,
  MAX_TEXT_BYTES,
  TOO_LARGE_PROBLEM,
} from "./errors.ts";
import { NotObjectStoreError, refuseWebPage, s3ErrorDetails, s3Error } from "./s3-errors.ts";
import { secretsOfS3, type S3Address, type S3Settings } from "./s3-settings.ts";
import { uploadToS3, type S3Object } from "./s3-writes.ts";
import { z } from "zod";

interface BucketPrefix extends S3Address {
  readonly client: S3Client;
  /** For messages. */
  readonly address: string;
}

/** Opens a prefix of a bucket as a repository. No request is sent before the first call of the repository's methods. */
export function openS3Repository({ bucket, prefix }: S3Address, settings: S3Settings): Repository {
  const client = new S3Client(clientConfig(settings));
  const address = `s3://${bucket}/${prefix}`.replace(/\/$/, "");
  const place: BucketPrefix = { client, bucket, prefix, address };
  const objectOf = (name: string): S3Object => ({ Bucket: bucket, Key: prefix + requireSafeName(name) });
  const clockAhead = s3ClockAhead(client);
  reportCredentials(client, settings.onCredentials);

  async function attempt<Result>(doing: string, name: string, act: () => Promise<Result>, signal?: AbortSignal) {
    try {
      signal?.throwIfAborted();
      return await act();
    } catch (error) {
      const { name: reason, status } = s3ErrorDetails(error);
      const missing = reason === "NoSuchKey" || (status === 404 && reason === "NotFound" && doing === "read");
      if (missing) throw notStoredError(name, address, error);
      throw s3Error(doing, `${address}/${name}`.replace(/\/$/, ""), error, signal);
    }
  }

  return {
    address,
    list: (below, signal) => attempt("list", below, () => listFiles(place, below, settings.maxListed), signal),
    fetch: (name, localPath, signal) =>
      attempt("read", name, () => fetchFile(client, objectOf(name), localPath, signal), signal),
    open: (name, size, signal) =>
      openInPlace(size, (range) =>
        attempt("read", name, () => requestRange(client, objectOf(name), range, signal), signal),
      ),
    put: (localPath, name, signal) =>
      attempt("write", name, () => uploadToS3({ client, object: objectOf(name), localPath, signal }), signal),
    readText: (name) => attempt("read", name, () => readText(client, objectOf(name))),
    writeText: (name, text) =>
      attempt("write", name, async () => {
        const object = { ...objectOf(name), Body: Buffer.from(text), ContentType: "application/json" };
        refuseWebPage(await client.send(new PutObjectCommand(object)));
      }),
    remove: (name) =>
      attempt("remove", name, async () => {
        await client.send(new DeleteObjectCommand(objectOf(name)));
      }),
    clockAhead: () =>
      attempt("list", "", async () => {
        if (clockAhead() === undefined) await listFiles(place, ".", settings.maxListed);
        return clockAhead() ?? 0;
      }),
    sweep: (below, minAgeMs) =>
      attempt("clean", below, () => s3Sweep(place, below, Date.now() - (clockAhead() ?? 0) - minAgeMs)),
    [Symbol.asyncDispose]: async () => client.destroy(),
  };
}

async function listFiles(place: BucketPrefix, below: string, maxListed = MAX_LISTED): Promise<StoredFile[]> {
  const { client, bucket, prefix, address } = place;
  const files: StoredFile[] = [];
  const tokens = new Set<string>();
  let pages = 0;
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix + below })) {
    if (!isListing(page)) throw new NotObjectStoreError("not the list of a bucket");
    pages += 1;
    // Pages are counted, too, because a store may send pages without keys for ever.
    if (files.length > maxListed || pages > 2 + maxListed / MIN_PAGE)
      throw endlessListError(`${address}/${below}`, maxListed);
    if (page.IsTruncated === true && !page.NextContinuationToken) throw cutListError(`${address}/${below}`);
    const { NextContinuationToken: token } = page;
    if (token !== undefined && tokens.has(token)) throw endlessListError(`${address}/${below}`, maxListed);
    if (token !== undefined) tokens.add(token);
    files.push(...filesOf(page, prefix));
  }
  return files.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function filesOf({ Contents = [] }: ListObjectsV2CommandOutput, prefix: string): StoredFile[] {
  return Contents.flatMap(({ Key = "", Size = 0, LastModified }): StoredFile[] => {
    const name = Key.slice(prefix.length);
    // Without a time, the file counts as new, so that no run takes it for a leftover.
    const modifiedAt = LastModified?.getTime() ?? Infinity;
    return name === "" || name.endsWith("/") ? [] : [{ name, bytes: Size, modifiedAt }];
  });
}

async function readText(client: S3Client, object: S3Object): Promise<StoredTextFile | undefined> {
  try {
    const got = await client.send(new GetObjectCommand(object));
    refuseWebPage(got);
    const text = await readShortText(got.Body?.transformToWebStream());
    return text === undefined ? { text: "", problem: TOO_LARGE_PROBLEM } : { text };
  } catch (error) {
    if (s3ErrorDetails(error).name === "NoSuchKey") return undefined;
    throw error;
  }
}

async function fetchFile(client: S3Client, object: S3Object, localPath: string, signal?: AbortSignal): Promise<void> {
  const { Body } = await client.send(new GetObjectCommand(object), { abortSignal: signal });
  const file = createWriteStream(localPath, { flags: "wx", mode: 0o600 });
  try {
    await pipeline(Body?.transformToWebStream() ?? [], file, { signal });
  } catch (error) {
    await rm(localPath, { force: true }).catch(() => {});
    if (file.errored !== null && "syscall" in file.errored) throw fileError("write", localPath, error);
    throw error;
  }
}

interface ByteRange {
  readonly position: number;
  readonly length: number;
}

/** The bytes of a range. If `isWhole` is true, the bytes of the whole file, because the store does not support ranges. */
interface RangeResponse {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** Requests a range of a file; undefined if the file ends before its start. */
async function requestRange(
  client: S3Client,
  object: S3Object,
  { position, length }: ByteRange,
  signal?: AbortSignal,
): Promise<RangeResponse | undefined> {
  const Range = `bytes=${position}-${position + length - 1}`;
  const got = await client
    .send(new GetObjectCommand({ ...object, Range }), { abortSignal: signal })
    .catch(undefinedPastEnd);
  if (got === undefined) return undefined;
  const bytes = Buffer.from((await got.Body?.transformToByteArray()) ?? []);
  return { bytes, isWhole: got.ContentRange === undefined };
}

/** Opens a file of `size` bytes to read ranges of it. Requests the end of the file at once, and other ranges when they are read. */
async function openInPlace(
  size: number,
  request: (range: ByteRange) => Promise<RangeResponse | undefined>,
): Promise<ByteSource> {
  // The whole file, if the store has sent it instead of a range. It is then not requested again.
  let whole: Buffer | undefined;
  const readRange = async (position: number, length: number): Promise<Buffer | undefined> => {
    if (whole !== undefined) return partOf(whole, position, length);
    const response = await request({ position, length });
    if (response === undefined) return undefined;
    const { bytes, isWhole } = response;
    if (!isWhole) return bytes.length === length ? bytes : undefined;
    whole = bytes;
    return partOf(bytes, position, length);
  };
  const tailStart = Math.max(0, size - TAIL_BYTES);
  const tail = size === 0 ? Buffer.alloc(0) : await readRange(tailStart, size - tailStart);
  return {
    size,
    read: async (position, length) =>
      position < tailStart ? readRange(position, length) : tail && partOf(tail, position - tailStart, length),
    close: async () => {
      whole = undefined;
    },
  };
}

function partOf(bytes: Buffer, position: number, length: number): Buffer | undefined {
  return position + length > bytes.length ? undefined : bytes.subarray(position, position + length);
}

/** Bytes at an archive's end that the first request reads: the directory and the manifest of some thousand records. */
const TAIL_BYTES = 256 * 1024;

/** Expected minimum of keys per page of a list; it limits the number of pages. Stores send up to a thousand keys per page. */
const MIN_PAGE = 100;

/** Reads a text of at most `MAX_TEXT_BYTES` bytes; undefined for a longer text, which is not read to its end. */
async function readShortText(body: ReadableStream<Uint8Array> | undefined): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_TEXT_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Tells whether the response is a bucket's list. The SDK would read any HTML page as an empty list. */
function isListing({ Name, Prefix, KeyCount, MaxKeys, IsTruncated }: ListObjectsV2CommandOutput): boolean {
  return [Name, Prefix, KeyCount, MaxKeys, IsTruncated].some((member) => member !== undefined);
}

/** Default timeout of a connection. Without a timeout, the SDK would wait for ever. */
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
      // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise turn off certificate checks.
      httpsAgent: { rejectUnauthorized: true },
    },
  };
}

/**
 * Returns undefined if the range is behind the file's end, because the file may have shrunk since the listing. Throws any other
 * error.
 */
function undefinedPastEnd(error: unknown): undefined {
  if (s3ErrorDetails(error).status !== 416) throw error;
}

/**
 * Aborts unfinished multipart uploads below a prefix, because they are invisible and cost money for ever. If the access
 * key may not list or abort uploads, or the store does not support this, the backup goes on.
 */
async function s3Sweep({ client, bucket, prefix }: BucketPrefix, below: string, before: number): Promise<number> {
  const [Bucket, Prefix] = [bucket, prefix + below];
  let swept = 0;
  try {
    // One page of a thousand is enough: the next run handles the rest.
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
    for (const { Key, UploadId, Initiated } of Uploads) {
      if (Key === undefined || UploadId === undefined || !Key.startsWith(Prefix)) continue;
      // A younger upload may belong to a run that is at work.
      if (Initiated === undefined || Initiated.getTime() >= before) continue;
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
      swept += 1;
    }
  } catch (error) {
    const { name, status } = s3ErrorDetails(error);
    if (status !== 501 && status !== 403 && status !== 405 && name !== "NotImplemented") throw error;
  }
  return swept;
}

/** Reports the credentials after each response, as only then it is certain that the SDK has found some. */
function reportCredentials(client: S3Client, report: S3Settings["onCredentials"]): void {
  if (report === undefined) return;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      report(secretsOfS3(await client.config.credentials()));
      return result;
    },
    { step: "initialize", name: "stackferryCredentials" },
  );
}

const datedSchema = z.object({ headers: z.object({ date: z.string() }) });

/**
 * Returns a function that tells how far this machine's clock is ahead of the last response's Date header; undefined before the
 * first response.
 */
function s3ClockAhead(client: S3Client): () => number | undefined {
  let ahead: number | undefined;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { data } = datedSchema.safeParse(result.response);
      const theirs = Date.parse(data?.headers.date ?? "");
      if (!Number.isNaN(theirs)) ahead = Date.now() - theirs;
      return result;
    },
    { step: "deserialize", priority: "low", name: "stackferryClock" },
  );
  return () => ahead;
}
