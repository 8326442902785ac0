import type { S3Access } from "../core/ports.ts";

export interface S3Settings extends S3Access {
  /** Milliseconds after which a silent connection is closed; default a minute. */
  readonly timeoutMs?: number;
  /** Maximum number of files in one list; default 500,000. */
  readonly maxListed?: number;
  /** Called with the secrets of the credentials that the SDK has used, which may come from a profile file or a role. */
  readonly onCredentials?: (secrets: readonly string[]) => void;
  /** Attempts per request; default 4. */
  readonly attempts?: number;
}

/** Returns the texts of S3 credentials that must not appear anywhere. */
export function secretsOfS3({ secretAccessKey, sessionToken }: Omit<S3Credentials, "accessKeyId">): string[] {
  return sessionToken === undefined ? [secretAccessKey] : [secretAccessKey, sessionToken];
}

type S3Credentials = NonNullable<S3Access["credentials"]>;

export interface S3Address {
  readonly bucket: string;
  /** The prefix in the bucket: empty, or with `/` at its end. */
  readonly prefix: string;
}

/** Reads `s3://bucket/prefix`; undefined for anything else. */
export function parseS3Address(text: string): S3Address | undefined {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text);
  if (match === null) return undefined;
  const [, bucket = "", path = ""] = match;
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.some((part) => part === "." || part === "..")) return undefined;
  return { bucket, prefix: parts.map((part) => `${part}/`).join("") };
}
