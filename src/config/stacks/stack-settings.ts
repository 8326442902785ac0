import { StackferryError } from "../../core/errors.ts";
import type { Warning } from "../../core/outcome.ts";
import type { Rate, Segments, StackCredential } from "../../core/ports.ts";
import type { StackIdentity, Variant } from "../../core/records/record.ts";
import type { Transforms } from "../../core/plan/plan.ts";
import type { Pacing } from "../pacing.ts";

/** The role of a stack in a run: source (`from`), target (`to`), or neither. The role decides which variables are read first. */
export type StackRole = "from" | "to" | "any";

export interface StackSettings {
  /** The stack's name in the configuration, or a name derived from its address; safe in a file name. */
  readonly stackName: string;
  readonly identity: StackIdentity;
  readonly credential: StackCredential;
  /** The path segments of this deployment (managed only). */
  readonly segments: Segments;
  /** Undefined if the pipes are not configured; empty if the configuration states that there are none. */
  readonly pipeIds: readonly string[] | undefined;
  readonly rate?: Rate;
  /** Timeout of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  readonly concurrency: number;
  /** PEM text of certificates to trust in addition to the usual authorities. */
  readonly ca?: string;
  readonly allowHttp: boolean;
  /** The changes to records of other stacks before they are written to this stack. */
  readonly transforms?: Transforms;
  /** Values of the placeholders `${value:NAME}` in files. */
  readonly values?: Readonly<Record<string, string | number | boolean>>;
  readonly warnings: readonly Warning[];
}

/** The settings that come from the address or the configuration file, before flags and environment variables are applied. */
export type StackBasis = Omit<StackSettings, "rate" | "timeoutMs" | "concurrency" | "ca"> & {
  readonly pacing: Pacing;
  readonly caFile?: string | undefined;
};

const PREFIXES: Readonly<Record<StackRole, readonly string[]>> = {
  from: ["STACKFERRY_FROM_", "STACKFERRY_"],
  to: ["STACKFERRY_TO_", "STACKFERRY_"],
  any: ["STACKFERRY_"],
};

/**
 * Returns the credential for a stack from the environment: from the variables of its role (`STACKFERRY_FROM_…`), else from the
 * common variables (`STACKFERRY_…`). The key ID and secret of a managed stack must come from the same set.
 * @throws StackferryError `config` that names the variables to set.
 */
export function environmentCredential(
  variant: Variant,
  role: StackRole,
  env: Readonly<Record<string, string | undefined>>,
  label: string,
): StackCredential {
  for (const prefix of PREFIXES[role]) {
    const apiKey = env[`${prefix}API_KEY`];
    const keyId = env[`${prefix}KEY_ID`];
    const keySecret = env[`${prefix}KEY_SECRET`];
    if (variant === "self-hosted" && apiKey) return { apiKey };
    if (variant === "managed" && keyId && keySecret) return { keyId, keySecret };
  }
  const parts = variant === "self-hosted" ? ["API_KEY"] : ["KEY_ID", "KEY_SECRET"];
  const choices = PREFIXES[role].map((prefix) => parts.map((part) => prefix + part).join(" and "));
  throw new StackferryError("config", `no credential for ${label}: set ${choices.join(", or ")}`, {
    hint:
      variant === "self-hosted"
        ? "the Personal API Access Key is in the web UI under team settings, API keys (not the ingestion key)"
        : "key ID and secret come from the cloud console's API key management",
  });
}

const SERVICE = /^(.*)\/v1\/organizations\/([^/]+)\/services\/([^/]+)(?:\/obsstack)?$/;
const API_SUFFIX = /\/api\/v2$/;

/** Tells whether a STACK argument is an address and not a name. */
export function isStackUrl(reference: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(reference);
}

/**
 * Parses a STACK address: `…/v1/organizations/ORG/services/SVC` is managed, any other address is self-hosted. A base path before
 * the API's path is kept; a trailing `/api/v2` or `/obsstack` is ignored. Messages do not repeat the address, which may contain a
 * password.
 * @param what the flag or member that holds the address, for messages.
 * @throws StackferryError `config`
 */
export function parseStackUrl(address: string, what: string): StackIdentity {
  const { origin, path } = splitUrl(address, what);
  const service = SERVICE.exec(path);
  if (service !== null) {
    const [, base = "", organizationId = "", serviceId = ""] = service;
    return { variant: "managed", baseUrl: origin + base, organizationId, serviceId };
  }
  if (/\/v1\/organizations(\/|$)/.test(path)) {
    throw new StackferryError("config", `${what}: a managed stack's address is …/v1/organizations/ORG/services/SVC`, {
      hint: "a deployment with other words in its paths is described in stackferry.yaml, under segments",
    });
  }
  return { variant: "self-hosted", baseUrl: origin + path.replace(API_SUFFIX, "") };
}

/** Parses a `baseUrl` of the configuration file, and removes a trailing slash or `/api/v2`. */
export function parseBaseUrl(address: string, what: string): string {
  const { origin, path } = splitUrl(address, what);
  return origin + path.replace(API_SUFFIX, "");
}

function splitUrl(address: string, what: string): { readonly origin: string; readonly path: string } {
  const addressError = (problem: string, hint: string): StackferryError =>
    new StackferryError("config", `${what}: ${problem}`, { hint });
  const shape = "write it as http://HOST:8000 or https://HOST/v1/organizations/ORG/services/SVC";
  if (!URL.canParse(address)) throw addressError("this is not an address", shape);
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw addressError("the address must begin with http:// or https://", shape);
  if (url.username !== "" || url.password !== "") {
    throw addressError(
      "the address holds a user name or password",
      "take it out: credentials come from the environment or the configuration file",
    );
  }
  if (url.search !== "" || url.hash !== "") throw addressError("the address must not have a ? or # part", shape);
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, "") };
}
