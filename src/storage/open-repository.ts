import { resolve } from "node:path";
import { StackferryError } from "../core/errors.ts";
import type { Place } from "../core/ports.ts";
import { folderPlace } from "./directory.ts";
import type { S3Settings } from "./s3-settings.ts";
import { parseS3Address } from "./s3-settings.ts";

/** What a place is opened with. */
export interface PlaceOptions {
  /** Relative folders are below this. */
  readonly cwd: string;
  readonly s3: S3Settings;
}

/** True for the address of an object store. */
export function isS3Address(text: string): boolean {
  return text.startsWith("s3://");
}

/**
 * Opens a place: `s3://bucket/prefix`, or a folder that exists. The AWS SDK is loaded for the former only.
 * @throws StackferryError `usage`
 */
export async function openPlace(address: string, { cwd, s3 }: PlaceOptions): Promise<Place> {
  if (!isS3Address(address)) {
    if (/^[a-z][a-z0-9+.-]+:\/\//.test(address)) throw new StackferryError("usage", "a place is a folder or s3://…");
    return folderPlace(resolve(cwd, address));
  }
  const parsed = parseS3Address(address);
  if (parsed === undefined) {
    throw new StackferryError("usage", "the address of the bucket is not understood", {
      hint: "write s3://bucket or s3://bucket/prefix; the endpoint is in the configuration or in AWS_ENDPOINT_URL",
    });
  }
  const { s3Place } = await import("./s3.ts");
  return s3Place(parsed, s3);
}
