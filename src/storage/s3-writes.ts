import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { StackferryError } from "../core/errors.ts";
import { digestFile } from "../files/regular-file.ts";

/** Size of an upload part: the smallest that real stores accept. A file up to this size is sent in one request. */
const PART_BYTES = 5 * 1024 * 1024;

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
