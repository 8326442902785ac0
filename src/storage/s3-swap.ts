import type { S3Client } from "@aws-sdk/client-s3";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import type { Swap } from "../core/ports.ts";
import { detailsOf } from "./s3-errors.ts";

/** Conditional writes of one bucket. */
export type S3Swap = (key: string, text: string, version: string | undefined) => Promise<Swap>;

/**
 * Conditional writes (`If-None-Match: *`, `If-Match`). Some stores take the headers and ignore them, others refuse them: so
 * the first write is tried once more as one that must fail. Where it does not fail, the result is not `sure`.
 */
export function s3Swap(client: S3Client, bucket: string): S3Swap {
  let supported: boolean | undefined;

  async function put(key: string, text: string, condition: { IfNoneMatch?: string; IfMatch?: string }) {
    const object = { Bucket: bucket, Key: key, Body: text, ContentType: "application/json" };
    return (await client.send(new PutObjectCommand({ ...object, ...condition }))).ETag ?? "";
  }

  async function probe(key: string, text: string): Promise<boolean> {
    try {
      await put(key, text, { IfNoneMatch: "*" });
      return false;
    } catch (error) {
      if (isRefusal(error)) return true;
      throw error;
    }
  }

  return async (key, text, version) => {
    try {
      const condition = version === undefined ? { IfNoneMatch: "*" } : { IfMatch: version };
      const written = await put(key, text, supported === false ? {} : condition);
      supported ??= await probe(key, text);
      return { done: true, version: written, sure: supported };
    } catch (error) {
      if (isRefusal(error)) return { done: false };
      if (supported !== undefined || !isNotImplemented(error)) throw error;
      supported = false;
      return { done: true, version: await put(key, text, {}), sure: false };
    }
  };
}

/** 409: somebody else is writing at this moment; 404: what was to be replaced is gone. */
function isRefusal(error: unknown): boolean {
  const { name, status } = detailsOf(error);
  return status === 412 || name === "ConditionalRequestConflict" || name === "NoSuchKey";
}

function isNotImplemented(error: unknown): boolean {
  const { name, status } = detailsOf(error);
  return status === 501 || name === "NotImplemented";
}
