import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from "@aws-sdk/client-s3";
import type { S3Client } from "@aws-sdk/client-s3";
import { factsOf } from "./s3-errors.ts";

/**
 * Aborts unfinished multipart uploads below a prefix: they are invisible, and cost money for ever. A key that may not list
 * uploads, or a store that cannot, is no reason to make no backup.
 */
export async function s3Sweep(client: S3Client, Bucket: string, Prefix: string): Promise<number> {
  let swept = 0;
  try {
    // A page of a thousand is plenty: the next run sees the rest.
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
    for (const { Key, UploadId } of Uploads) {
      if (Key === undefined || UploadId === undefined || !Key.startsWith(Prefix)) continue;
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
      swept += 1;
    }
  } catch (error) {
    const { name, status } = factsOf(error);
    if (status !== 501 && status !== 403 && status !== 405 && name !== "NotImplemented") throw error;
  }
  return swept;
}
