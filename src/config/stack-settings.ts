import type { Warning } from "../domain/outcome.ts";
import type { StackIdentity } from "../domain/record.ts";
import type { Pacing } from "./pacing.ts";
import type { Rate } from "./rate.ts";

/** What a stack asks for: a Personal API Access Key (self-hosted), or a cloud API key (managed). */
export type StackCredential = { readonly apiKey: string } | { readonly keyId: string; readonly keySecret: string };

/** Which side of a run a stack is on; it decides which variables are looked at first. */
export type StackRole = "from" | "to" | "any";

/** Everything a client needs to know of a stack. */
export interface StackSettings {
  /** The stack's name, or one made from its address: safe in a file name. */
  readonly label: string;
  readonly identity: StackIdentity;
  readonly credential: StackCredential;
  /** The words this deployment uses in its paths (managed only). */
  readonly segments: { readonly stack: string; readonly pipes: string };
  readonly pipeIds: readonly string[];
  readonly rate?: Rate;
  /** Per try, in milliseconds. */
  readonly timeoutMs: number;
  readonly concurrency: number;
  /** PEM text of certificates to trust. */
  readonly ca?: string;
  readonly allowHttp: boolean;
  readonly warnings: readonly Warning[];
}

/** What the address or the file says of a stack, before the other layers. */
export type StackBasis = Omit<StackSettings, "rate" | "timeoutMs" | "concurrency" | "ca"> & {
  readonly pacing: Pacing;
  readonly caFile?: string | undefined;
};
