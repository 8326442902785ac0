import type { ErrorCode } from "../core/errors.ts";
import { StackferryError } from "../core/errors.ts";

/** What the names of S3 errors mean for us. Other names are judged by their status. */
const BY_NAME: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  NoSuchBucket: ["usage", "create the bucket, or correct its name"],
  PermanentRedirect: ["config", "the bucket is in another region: name it in the configuration or in AWS_REGION"],
  AuthorizationHeaderMalformed: ["config", "the bucket is in another region: name it in the configuration"],
  AccessDenied: ["forbidden", "the key needs list, get, put and delete on the bucket's prefix"],
  AllAccessDisabled: ["forbidden", "the bucket is closed"],
  QuotaExceeded: ["archive-io", "make room in the bucket, or raise its quota"],
  EntityTooLarge: ["archive-io", "the store takes no file of that size"],
  ExpiredToken: ["unauthorized", "the credentials have expired: get new ones"],
  ExpiredTokenException: ["unauthorized", "the credentials have expired: get new ones"],
  TokenRefreshRequired: ["unauthorized", "the credentials have expired: get new ones"],
  InvalidAccessKeyId: ["unauthorized", "check AWS_ACCESS_KEY_ID, or the repository's accessKeyId"],
  InvalidToken: ["unauthorized", "check AWS_SESSION_TOKEN"],
  SignatureDoesNotMatch: ["unauthorized", "check AWS_SECRET_ACCESS_KEY, or the repository's secretAccessKey"],
  RequestTimeTooSkewed: ["unauthorized", "set the clock of this machine"],
  CredentialsProviderError: ["config", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile"],
  SlowDown: ["rate-limited", "run again later"],
};

/** System codes of a network failure: there was no response. */
const NO_RESPONSE = /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOST|ENET|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/**
 * Turns an error of the object store into a `StackferryError`. The store's message is not repeated: it can quote the request.
 * A `StackferryError` and the reason of an abort pass unchanged.
 */
export function s3Error(doing: string, address: string, error: unknown, signal?: AbortSignal): unknown {
  if (error instanceof StackferryError) return error;
  if (signal?.aborted === true) return signal.reason;
  const { name, status, code } = detailsOf(error);
  const [errorCode, hint] = BY_NAME[name] ?? byStatus(status, code);
  const detail = [name, status === undefined ? "" : String(status), code ?? ""].filter(Boolean).join(", ");
  return new StackferryError(errorCode, `cannot ${doing} ${address} (${detail})`, { cause: error, hint });
}

/** The name, the HTTP status and the system's code of whatever the SDK throws. */
export function detailsOf(error: unknown): { name: string; status: number | undefined; code: string | undefined } {
  if (!(error instanceof Error)) return { name: "unknown", status: undefined, code: undefined };
  const metadata: unknown = "$metadata" in error ? error.$metadata : undefined;
  const hasStatus = typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata;
  const status = hasStatus && typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return { name: error.name, status, code };
}

function byStatus(status: number | undefined, code: string | undefined): readonly [ErrorCode, string] {
  if (status === 401) return ["unauthorized", "check the credentials of the repository"];
  if (status === 403) return ["forbidden", "check what the key may do in this bucket"];
  if (status === 404) return ["not-found", "`stackferry list` shows what there is"];
  if (status !== undefined && status >= 500) return ["unavailable", "the store keeps failing: run again later"];
  if (status !== undefined) return ["archive-io", "the store refused the request; see its documentation"];
  const isNetwork = code !== undefined && NO_RESPONSE.test(code);
  return isNetwork
    ? ["unreachable", "check the endpoint and the network"]
    : ["unreachable", "check the endpoint, the credentials and the network"];
}
