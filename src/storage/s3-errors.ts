import { StackferryError, type ErrorCode } from "../core/errors.ts";
import { ownMember } from "../core/json.ts";

type Cause = readonly [code: ErrorCode, what: string, hint: string];

const EXPIRED: Cause = ["unauthorized", "the credentials have expired", "get new ones"];
const OTHER_REGION = "name its region in the configuration (region) or in AWS_REGION";

/** Failures by S3 error name. Other failures are judged by the HTTP status, or without a response by the system's error code. */
const BY_NAME: Readonly<Record<string, Cause>> = {
  NoSuchBucket: ["usage", "there is no such bucket", "create the bucket, or correct its name"],
  PermanentRedirect: ["config", "the bucket is in another region", OTHER_REGION],
  AuthorizationHeaderMalformed: ["config", "the bucket is in another region", OTHER_REGION],
  AccessDenied: [
    "forbidden",
    "the key has no permission for this",
    "it needs list, get, put and delete on the bucket's prefix",
  ],
  AllAccessDisabled: ["forbidden", "the bucket is closed", "ask the store's administrator"],
  InvalidObjectState: [
    "archive-io",
    "the store has moved the file to an archive",
    "restore the file in the store first; keep the backups that you check in a class that answers at once",
  ],
  QuotaExceeded: ["archive-io", "the bucket is full", "make room in the bucket, or raise its quota"],
  EntityTooLarge: ["archive-io", "the store takes no file of that size", "raise the limit of the store"],
  ExpiredToken: EXPIRED,
  ExpiredTokenException: EXPIRED,
  TokenRefreshRequired: EXPIRED,
  InvalidAccessKeyId: [
    "unauthorized",
    "the store does not know the access key",
    "check AWS_ACCESS_KEY_ID, or the repository's accessKeyId",
  ],
  InvalidToken: ["unauthorized", "the store does not know the session token", "check AWS_SESSION_TOKEN"],
  SignatureDoesNotMatch: [
    "unauthorized",
    "the secret is not that of the access key",
    "check AWS_SECRET_ACCESS_KEY, or the repository's secretAccessKey",
  ],
  RequestTimeTooSkewed: ["unauthorized", "the clock of this machine is wrong", "set the clock"],
  CredentialsProviderError: [
    "config",
    "there are no credentials",
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile, or accessKeyId and secretAccessKey in the configuration",
  ],
  TimeoutError: ["unreachable", "the endpoint does not answer", "check the endpoint and the network"],
  SlowDown: ["rate-limited", "the store asks for fewer requests", "run again later"],
};

const NOT_S3: Cause = [
  "protocol",
  "the endpoint does not answer as an object store",
  "check the endpoint: only host and port, without a bucket or a console's path",
];
const NO_REGION: Cause = [
  "config",
  "no region is known",
  "name it in the configuration (region) or in AWS_REGION; stores other than AWS take any, for instance us-east-1",
];

/** The error for a response that no object store gives. */
export class NotObjectStoreError extends Error {}

/**
 * Refuses the response of a web server, which may answer every request with a page; the SDK takes the page for an object.
 * @throws NotObjectStoreError
 */
export function refuseWebPage(response: {
  readonly ETag?: string | undefined;
  readonly ContentType?: string | undefined;
}): void {
  const { ETag, ContentType } = response;
  if (ETag === undefined || ContentType?.startsWith("text/html") === true) throw new NotObjectStoreError("a web page");
}

/**
 * Turns an error of the object store into a `StackferryError`. The store's message is not repeated, because it can quote the
 * request. A `StackferryError` and the reason of an abort pass unchanged.
 */
export function s3Error(doing: string, address: string, error: unknown, signal?: AbortSignal): unknown {
  if (error instanceof StackferryError) return error;
  if (signal?.aborted === true) return signal.reason;
  const [errorCode, problem, hint] = causeOf(error);
  const { name, status, code } = s3ErrorDetails(error);
  const detail = [
    /^(?:Type)?Error$/.test(name) ? "" : name,
    status === undefined ? "" : String(status),
    code ?? "",
  ].filter(Boolean);
  const bracket = detail.length === 0 ? "" : ` (${detail.join(", ")})`;
  return new StackferryError(errorCode, `cannot ${doing} ${address}: ${problem}${bracket}`, { cause: error, hint });
}

function causeOf(error: unknown): Cause {
  const { name, status, code, host } = s3ErrorDetails(error);
  // The SDK does not name this error, so it is recognised by its message.
  if (error instanceof Error && error.message === "Region is missing") return NO_REGION;
  if (error instanceof NotObjectStoreError) return NOT_S3;
  return ownMember(BY_NAME, name) ?? (status === undefined ? networkCause(code ?? "", host) : byStatus(status));
}

/**
 * Extracts the name and the HTTP status of an SDK error. Without a response, extracts the operating system's error code and the
 * host.
 */
export function s3ErrorDetails(error: unknown) {
  if (!(error instanceof Error)) return { name: "unknown", status: undefined, code: undefined, host: "" };
  const metadata: unknown = "$metadata" in error ? error.$metadata : undefined;
  const hasStatus = typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata;
  const status = hasStatus && typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return { name: error.name, status, code, host: hostOf(error) };
}

function hostOf(error: Error): string {
  if ("hostname" in error && typeof error.hostname === "string") return error.hostname;
  return "address" in error && "port" in error ? `${String(error.address)}:${String(error.port)}` : "its address";
}

function byStatus(status: number): Cause {
  if (status === 401) {
    return ["unauthorized", "the store does not accept the credentials", "check the credentials of the repository"];
  }
  if (status === 403)
    return ["forbidden", "the key has no permission for this", "check the key's permissions in this bucket"];
  if (status === 404) return NOT_S3;
  if (status >= 500) return ["unavailable", "the store keeps failing", "run again later"];
  return ["archive-io", "the store refused the request", "see its documentation"];
}

function networkCause(code: string, host: string): Cause {
  const networkProblem = (problem: string): Cause => ["unreachable", problem, "check the endpoint and the network"];
  if (code === "ERR_INVALID_URL") {
    return ["config", "the endpoint is not an address", "write it with its scheme: https://HOST or http://HOST:9000"];
  }
  if (code === "ERR_INVALID_CHAR") {
    const hint = "check AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN, or the repository's accessKeyId";
    return ["config", "the access key holds a line break or another character that no key has", hint];
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return networkProblem(`the endpoint's host ${host} has no address`);
  if (code === "ECONNREFUSED") return networkProblem(`nothing listens at ${host}`);
  if (code === "EPROTO" || code.startsWith("ERR_SSL_")) {
    return ["unreachable", "the endpoint does not speak https", "check the endpoint's scheme and port"];
  }
  if (/^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)) {
    const hint = "set NODE_EXTRA_CA_CERTS to the PEM file of the authority that signed it";
    return ["unreachable", "the endpoint's certificate is not trusted", hint];
  }
  if (code !== "") return networkProblem("the connection failed");
  return ["unreachable", "there was no usable answer", "check the endpoint, the credentials and the network"];
}
