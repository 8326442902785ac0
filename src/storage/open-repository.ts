import { resolve } from "node:path";
import { StackferryError } from "../core/errors.ts";
import type { Repository } from "../core/ports.ts";
import { openFolderRepository } from "./directory.ts";
import type { S3Address, S3Settings } from "./s3.ts";

export interface RepositoryOptions {
  readonly cwd: string;
  readonly s3: S3Settings;
}

export function isS3Address(text: string): boolean {
  return text.startsWith("s3://");
}

/** Loads the AWS SDK only for a bucket. @throws StackferryError `usage` */
export async function openRepository(address: string, { cwd, s3 }: RepositoryOptions): Promise<Repository> {
  if (!isS3Address(address)) {
    if (/^[a-z][a-z0-9+.-]+:\/\//.test(address))
      throw new StackferryError("usage", "a repository is a folder or s3://…");
    return openFolderRepository(resolve(cwd, address));
  }
  const parsed = parseS3Address(address);
  if (parsed === undefined) {
    throw new StackferryError("usage", "the address of the bucket is not valid", {
      hint: "write s3://bucket or s3://bucket/prefix; the endpoint is in the configuration or in AWS_ENDPOINT_URL",
    });
  }
  const { openS3Repository } = await import("./s3.ts");
  return openS3Repository(parsed, s3);
}

export function parseS3Address(text: string): S3Address | undefined {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text);
  if (match === null) return undefined;
  const [, bucket = "", path = ""] = match;
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.some((part) => part === "." || part === "..")) return undefined;
  return { bucket, prefix: parts.map((part) => `${part}/`).join("") };
}
