import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readFile, rm } from "node:fs/promises";
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
import type { Repository, StoredFile } from "../core/ports.ts";
import { fileError } from "../files/errors.ts";
import { requireSafeName, endlessListError, notStoredError, MAX_LISTED, MAX_TEXT_BYTES } from "./errors.ts";
import { NotObjectStoreError, s3ErrorDetails, s3Error } from "./s3-errors.ts";
import { secretsOfS3, type S3Address, type S3Settings } from "./s3-settings.ts";

interface S3Object {
  readonly Bucket: string;
  readonly Key: string;
}

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
        if (clockAhead() === undefined) await listFiles(place, ".", settings.maxListed);
        return clockAhead() ?? 0;
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
    // Tokens are counted, too, because a store may send pages without keys for ever.
    if (files.length > maxListed || tokens.size > maxListed / MIN_PAGE)
      throw endlessListError(`${address}/${below}`, maxListed);
    const { IsTruncated, NextContinuationToken: token } = page;
    // Without a token, or with an earlier one, the rest of the list cannot be asked for: the newest backups may be in it.
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
    // Without a time, the file counts as new, so that no run takes it for a leftover.
    const modifiedAt = LastModified?.getTime() ?? Infinity;
    return name === "" || name.endsWith("/") ? [] : [{ name, bytes: Size, modifiedAt }];
  });
}

async function readText(client: S3Client, object: S3Object): Promise<string | undefined> {
  try {
    const got = await client.send(new GetObjectCommand(object));
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of got.Body?.transformToWebStream() ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_TEXT_BYTES) return "";
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  } catch (error) {
    if (s3ErrorDetails(error).name === "NoSuchKey") return undefined;
    throw error;
  }
}

/** Sends a file in one request, and reads it back: a store, or something in front of it, may lose data and not say so. */
async function sendFile(client: S3Client, object: S3Object, localPath: string, signal?: AbortSignal): Promise<void> {
  const sent = await readFile(localPath);
  await client.send(new PutObjectCommand({ ...object, Body: sent }), { abortSignal: signal });
  const { Body } = await client.send(new GetObjectCommand(object), { abortSignal: signal });
  const arrived = createHash("sha256");
  for await (const chunk of Body?.transformToWebStream() ?? []) arrived.update(chunk);
  if (arrived.digest("hex") === createHash("sha256").update(sent).digest("hex")) return;
  throw new StackferryError("archive-io", `s3://${object.Bucket}/${object.Key} was not stored as it was sent`, {
    hint: "run again; if it happens again, the store or something in front of it loses data",
  });
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

/** Expected minimum of keys per page of a list; it limits the number of pages. Stores send up to a thousand keys per page. */
const MIN_PAGE = 100;

/** Tells whether the response is a bucket's list, which every run asks for first. The SDK reads any HTML page as an empty list. */
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
