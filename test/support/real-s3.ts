import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import type { S3Settings } from "../../src/storage/s3-settings.ts";

/** The endpoint of a real object store, from `test/ceph/run.sh`; empty in every other run. */
export const realS3 = process.env["STACKFERRY_TEST_S3"] ?? "";

/** Makes a bucket of its own there. */
export async function realBucket(): Promise<{ readonly bucket: string; readonly settings: S3Settings }> {
  const credentials = { accessKeyId: "KEYOFTEST", secretAccessKey: "SECRETOFTEST" };
  const settings = { endpoint: realS3, region: "us-east-1", credentials };
  const client = new S3Client({ ...settings, forcePathStyle: true });
  const bucket = `test-${Date.now()}-${Math.floor(performance.now() * 1000)}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return { bucket, settings };
}
