import type { S3Client } from "@aws-sdk/client-s3";
import { HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import type { Swap } from "../core/ports.ts";
import { detailsOf } from "./s3-errors.ts";

/** Writes an object of one bucket conditionally. */
export type S3ConditionalPut = (key: string, text: string, version: string | undefined) => Promise<Swap>;

/**
 * Creates conditional writes (`If-None-Match: *`, `If-Match`). Some stores ignore these headers, and others refuse them. So the
 * first write is sent again with a condition that must fail. If it succeeds, the result is not `sure`.
 */
export function s3ConditionalPut(client: S3Client, bucket: string): S3ConditionalPut {
  let supported: boolean | undefined;
  let quoted = true;

  async function put(key: string, text: string, condition: { IfNoneMatch?: string; IfMatch?: string }) {
    const object = { Bucket: bucket, Key: key, Body: text, ContentType: "application/json" };
    return (await client.send(new PutObjectCommand({ ...object, ...condition }))).ETag ?? "";
  }

  async function write(key: string, text: string, version: string | undefined): Promise<string> {
    if (supported === false) return put(key, text, {});
    return version === undefined ? put(key, text, { IfNoneMatch: "*" }) : replace(key, text, version);
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

  /**
   * Replaces an object if its version matches. Ceph's gateway stores an ETag without quotation marks and compares it literally
   * with `If-Match`, so it refuses every version in the form that it returned.
   */
  async function replace(key: string, text: string, version: string): Promise<string> {
    try {
      return await put(key, text, { IfMatch: quoted ? version : withoutQuotes(version) });
    } catch (error) {
      if (!quoted || detailsOf(error).status !== 412 || (await currentVersion(key)) !== version) throw error;
      const written = await put(key, text, { IfMatch: withoutQuotes(version) });
      quoted = false;
      return written;
    }
  }

  async function currentVersion(key: string): Promise<string | undefined> {
    return (await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))).ETag;
  }

  return async (key, text, version) => {
    try {
      const written = await write(key, text, version);
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

function withoutQuotes(etag: string): string {
  return etag.replaceAll('"', "");
}

/**
 * Tells whether the store refused the condition. 409: another write is in progress. 404: the object to replace does not exist any
 * more.
 */
function isRefusal(error: unknown): boolean {
  const { name, status } = detailsOf(error);
  return status === 412 || name === "ConditionalRequestConflict" || name === "NoSuchKey";
}

function isNotImplemented(error: unknown): boolean {
  const { name, status } = detailsOf(error);
  return status === 501 || name === "NotImplemented";
}
