import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { StackferryError } from "../core/errors.ts";
import { digestFile } from "../files/regular-file.ts";
import type { SwapResult } from "../core/ports.ts";
import { s3ErrorDetails, objectVersionOf } from "./s3-errors.ts";

/** Size of an upload part: the smallest that real stores accept. A file up to this size is sent in one request. */
const PART_BYTES = 5 * 1024 * 1024;

/** The address of an object, with the member names of the SDK's requests. */
export interface S3Object {
  readonly Bucket: string;
  readonly Key: string;
}

interface S3Upload {
  readonly client: S3Client;
  readonly object: S3Object;
  readonly localPath: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Uploads a file, in parts if it is large. Aborts a failed upload, and removes its object if it became visible nevertheless. Sends
 * every part with its CRC32. If the store does not confirm the checksum, reads the object back and compares it.
 */
export async function uploadToS3(upload: S3Upload): Promise<void> {
  const { client, object, localPath, signal } = upload;
  const sent = await digestFile(localPath, signal);
  const body = createReadStream(localPath);
  const task = new Upload({
    client,
    params: { ...object, Body: body, ContentType: "application/octet-stream", Metadata: { sha256: sent.sha256 } },
    partSize: PART_BYTES,
    leavePartsOnError: false,
  });
  const abort = (): void => void task.abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    signal?.throwIfAborted();
    const { ChecksumCRC32, ChecksumCRC64NVME } = await task.done();
    const head = await client.send(new HeadObjectCommand(object));
    const confirmed = (ChecksumCRC32 ?? ChecksumCRC64NVME) !== undefined;
    const arrived = head.ContentLength === sent.bytes && (confirmed || (await readBack(upload)) === sent.sha256);
    if (arrived) return;
    throw new StackferryError("archive-io", `s3://${object.Bucket}/${object.Key} was not stored as it was sent`, {
      hint: "run again; if it happens again, the store or something in front of it loses data",
    });
  } catch (error) {
    await removeOurs(upload, sent.sha256);
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
    body.destroy();
  }
}

/**
 * Removes the object that was just sent. Recognises it by the checksum in its metadata, so that an older object of the same name
 * stays.
 */
async function removeOurs({ client, object }: S3Upload, sha256: string): Promise<void> {
  try {
    const { Metadata } = await client.send(new HeadObjectCommand(object));
    if (Metadata?.["sha256"] === sha256) await client.send(new DeleteObjectCommand(object));
  } catch {
    // The object does not exist, or the store does not answer; the caller reports the failure of the upload.
  }
}

async function readBack({ client, object, signal }: S3Upload): Promise<string> {
  const { Body } = await client.send(new GetObjectCommand(object), { abortSignal: signal });
  const hash = createHash("sha256");
  if (Body !== undefined) for await (const chunk of Body.transformToWebStream()) hash.update(chunk);
  return hash.digest("hex");
}

/** Writes an object only if it still has the version. Without a version, writes it only if it does not exist. */
type S3ConditionalPut = (object: S3Object, text: string, version: string | undefined) => Promise<SwapResult>;

/**
 * Creates a function for conditional writes (headers `If-None-Match: *` and `If-Match`). Some stores ignore these headers, and
 * others refuse them. So the first write is sent again with a condition that must fail. If the store accepts the repeated write, it
 * ignores conditions, so no result is `sure`.
 */
export function createConditionalPut(client: S3Client): S3ConditionalPut {
  let supported: boolean | undefined;
  let quoted = true;

  async function put(object: S3Object, text: string, condition: { IfNoneMatch?: string; IfMatch?: string }) {
    const request = { ...object, Body: text, ContentType: "application/json", ...condition };
    return objectVersionOf(await client.send(new PutObjectCommand(request)));
  }

  async function write(object: S3Object, text: string, version: string | undefined): Promise<string> {
    if (supported === false) return put(object, text, {});
    return version === undefined ? put(object, text, { IfNoneMatch: "*" }) : replace(object, text, version);
  }

  async function probe(object: S3Object, text: string): Promise<boolean> {
    try {
      await put(object, text, { IfNoneMatch: "*" });
      return false;
    } catch (error) {
      if (isRefusal(error)) return true;
      throw error;
    }
  }

  /**
   * Replaces an object if its version matches. Ceph's gateway returns an ETag in quotation marks, but compares `If-Match` with the
   * ETag without them. So if the write is refused although the object still has this version, the write is repeated without
   * quotation marks in `If-Match`.
   */
  async function replace(object: S3Object, text: string, version: string): Promise<string> {
    try {
      return await put(object, text, { IfMatch: quoted ? version : withoutQuotes(version) });
    } catch (error) {
      if (!quoted || s3ErrorDetails(error).status !== 412 || (await currentVersion(object)) !== version) throw error;
      const written = await put(object, text, { IfMatch: withoutQuotes(version) });
      quoted = false;
      return written;
    }
  }

  async function currentVersion(object: S3Object): Promise<string | undefined> {
    return (await client.send(new HeadObjectCommand(object))).ETag;
  }

  return async (object, text, version) => {
    try {
      const written = await write(object, text, version);
      supported ??= await probe(object, text);
      return { done: true, version: written, sure: supported };
    } catch (error) {
      if (isRefusal(error)) return { done: false };
      if (supported !== undefined || !isNotImplemented(error)) throw error;
      supported = false;
      return { done: true, version: await put(object, text, {}), sure: false };
    }
  };
}

function withoutQuotes(etag: string): string {
  return etag.replaceAll('"', "");
}

/** Tells whether the store refused the condition. 409: another write is in progress. 404: the object no longer exists. */
function isRefusal(error: unknown): boolean {
  const { name, status } = s3ErrorDetails(error);
  return status === 412 || name === "ConditionalRequestConflict" || name === "NoSuchKey";
}

function isNotImplemented(error: unknown): boolean {
  const { name, status } = s3ErrorDetails(error);
  return status === 501 || name === "NotImplemented";
}
