import { StackferryError } from "../../core/errors.ts";
import type { Warning } from "../../core/outcome.ts";
import type { StackIdentity, Variant } from "../../core/records/record.ts";
import type { Transforms } from "../../core/plan/transforms.ts";
import type { Pacing, Rate } from "../pacing.ts";

/** The credential of a stack: a Personal API Access Key (self-hosted), or a cloud API key (managed). */
export type StackCredential = { readonly apiKey: string } | { readonly keyId: string; readonly keySecret: string };

/** The side of a run that a stack is on; it decides which variables are read first. */
export type StackRole = "from" | "to" | "any";

/** The settings of a client. */
export interface StackSettings {
  /** The stack's name, or one derived from its address: safe in a file name. */
  readonly stackName: string;
  readonly identity: StackIdentity;
  readonly credential: StackCredential;
  /** The words this deployment uses in its paths (managed only). */
  readonly segments: { readonly stack: string; readonly pipes: string };
  /** Undefined if the pipes are not configured; empty if the configuration states that there are none. */
  readonly pipeIds: readonly string[] | undefined;
  readonly rate?: Rate;
  /** Timeout of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  readonly concurrency: number;
  /** PEM text of certificates to trust. */
  readonly ca?: string;
  readonly allowHttp: boolean;
  /** The changes to records of other stacks before they are written to this one. */
  readonly transforms?: Transforms;
  readonly warnings: readonly Warning[];
}

/** The words that a deployment uses in its paths unless the configuration says otherwise. */
export const DEFAULT_SEGMENTS = { stack: "obsstack", pipes: "pipes" } as const;

/** The settings that come from the address or the file, before flags and environment. */
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
 * Returns the credential for a stack given by its address: from the role's own variables, else from the common ones. Both parts
 * of a managed key come from the same set.
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
