import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { S3Client } from "@aws-sdk/client-s3";
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { StackferryError } from "../core/errors.ts";
import { fileDigest } from "../files/file-digest.ts";

/** The smallest part that real stores accept; a file up to this size is sent in one request. */
const PART_BYTES = 5 * 1024 * 1024;

/** An upload of one file into a bucket. */
export interface S3Upload {
  readonly client: S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly localPath: string;
  readonly partBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Uploads a file, in parts if it is large. A failed upload is aborted, and its object is removed if it became visible all the
 * same. Every part is sent with its CRC32. If the store does not confirm the checksum, the object is read back and compared.
 */
export async function s3Upload(upload: S3Upload): Promise<void> {
  const { client, bucket: Bucket, key: Key, localPath, partBytes, signal } = upload;
  const sent = await fileDigest(localPath, signal);
  const body = createReadStream(localPath);
  const task = new Upload({
    client,
    params: { Bucket, Key, Body: body, ContentType: "application/octet-stream", Metadata: { sha256: sent.sha256 } },
    partSize: partBytes ?? PART_BYTES,
    leavePartsOnError: false,
  });
  const abort = (): void => void task.abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    signal?.throwIfAborted();
    const { ChecksumCRC32, ChecksumCRC64NVME } = await task.done();
    const head = await client.send(new HeadObjectCommand({ Bucket, Key }));
    const confirmed = (ChecksumCRC32 ?? ChecksumCRC64NVME) !== undefined;
    const arrived = head.ContentLength === sent.bytes && (confirmed || (await readBack(upload)) === sent.sha256);
    if (arrived) return;
    throw new StackferryError("archive-io", `s3://${Bucket}/${Key} was not stored as it was sent`, {
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

/** Removes the object if it is the one that was just sent: its metadata has the checksum. An older object of that name stays. */
async function removeOurs({ client, bucket: Bucket, key: Key }: S3Upload, sha256: string): Promise<void> {
  try {
    const { Metadata } = await client.send(new HeadObjectCommand({ Bucket, Key }));
    if (Metadata?.["sha256"] === sha256) await client.send(new DeleteObjectCommand({ Bucket, Key }));
  } catch {
    // The object does not exist, or the store does not answer; the caller reports the failure of the upload.
  }
}

async function readBack({ client, bucket, key, signal }: S3Upload): Promise<string> {
  const options = signal === undefined ? {} : { abortSignal: signal };
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }), options);
  const hash = createHash("sha256");
  if (Body !== undefined) for await (const chunk of Body.transformToWebStream()) hash.update(chunk);
  return hash.digest("hex");
}
