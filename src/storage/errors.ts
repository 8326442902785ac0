import { z } from "zod";
import { StackferryError, type ErrorCode } from "../core/errors.ts";
import { ownMember } from "../core/json.ts";

export function notStoredError(name: string, address: string, cause?: unknown): StackferryError {
  const hint = "`stackferry list` shows the backups";
  return new StackferryError("not-found", `there is no ${name} in ${address}`, { cause, hint });
}

export function endlessListError(where: string, most: number): StackferryError {
  return new StackferryError("list-incomplete", `${where} lists more than ${most} files, or its list does not end`, {
    hint: "keep the backups in a place of their own; a store has to support ListObjectsV2",
  });
}

export function requireSafeName(name: string): string {
  const parts = name.split("/");
  const strange = parts.some((part) => part === "" || part === "." || part === ".." || /[\\\p{Cc}]/u.test(part));
  if (!strange) return name;
  throw new StackferryError("usage", "the name of a stored file leads out of the repository", {
    hint: "name a stack by letters, digits, . - and _",
  });
}

/** Keeps an endless list from filling the memory. */
export const MAX_LISTED = 500_000;

const CODES: Readonly<Record<string, ErrorCode>> = {
  NoSuchBucket: "usage",
  PermanentRedirect: "config",
  AuthorizationHeaderMalformed: "config",
  InvalidObjectState: "archive-io",
  QuotaExceeded: "archive-io",
  ExpiredToken: "unauthorized",
  ExpiredTokenException: "unauthorized",
  TokenRefreshRequired: "unauthorized",
  InvalidToken: "unauthorized",
};

const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  usage: "create the bucket, or correct its name",
  config:
    "check the repository's endpoint (https://HOST), region and keys in the configuration, or AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  unauthorized: "check the session token, or get a new one",
  forbidden:
    "check the access key, its secret and the clock of this machine; the key needs list, get, put and delete on the bucket's prefix",
  unreachable:
    "check the endpoint's scheme, host and port, and the network; NODE_EXTRA_CA_CERTS names an own authority",
  unavailable: "run again later",
  protocol: "check the endpoint: only host and port, without a bucket or a console's path",
};

export class NotObjectStoreError extends Error {}

/** Leaves out the store's message, because the message can quote the request. Returns the reason of an abort. */
export function s3Error(doing: string, address: string, error: unknown, signal?: AbortSignal): unknown {
  if (error instanceof StackferryError) return error;
  if (signal?.aborted === true) return signal.reason;
  const [code, problem] = causeOf(error);
  const hint = HINTS[code] ?? "see the store's documentation: the store's own name of the failure is in the message";
  return new StackferryError(code, `cannot ${doing} ${address}: ${problem}`, { cause: error, hint });
}

function causeOf(error: unknown): readonly [code: ErrorCode, problem: string] {
  const { name, status, code, host } = s3ErrorDetails(error);
  const codeOfName = ownMember(CODES, name);
  const isPage = error instanceof NotObjectStoreError || (status === 404 && codeOfName === undefined);
  if (isPage) return ["protocol", "the endpoint does not answer as an object store"];
  if (status !== undefined) return [codeOfName ?? codeOfStatus(status), `the store answered ${name} (${status})`];
  if (name === "CredentialsProviderError") return ["config", "there are no credentials"];
  // The SDK gives this error no name of its own.
  if (error instanceof Error && error.message === "Region is missing") return ["config", "no region is known"];
  if (code === "ERR_INVALID_URL") return ["config", "the endpoint is not an address"];
  if (code === "ERR_INVALID_CHAR") return ["config", "the access key holds a character that no key has"];
  return ["unreachable", `no answer from ${host} (${code ?? name})`];
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 403) return "forbidden";
  return status === 429 || status >= 500 ? "unavailable" : "archive-io";
}

const failureSchema = z
  .object({
    name: z.string(),
    code: z.string().optional().catch(undefined),
    hostname: z.string().optional().catch(undefined),
    address: z.string().optional().catch(undefined),
    port: z.number().optional().catch(undefined),
    $metadata: z.object({ httpStatusCode: z.number().optional() }).optional().catch(undefined),
  })
  .catch({ name: "unknown" });

/** Without a response, `status` is undefined, and `code` is the system's error code. */
export function s3ErrorDetails(error: unknown) {
  const { name, code, hostname, address, port, $metadata } = failureSchema.parse(error);
  const host = hostname ?? (address === undefined ? "the endpoint" : `${address}:${port}`);
  return { name, status: $metadata?.httpStatusCode, code, host };
}
