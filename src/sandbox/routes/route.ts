import type { Reply } from "../envelope/reply.ts";
import type { Identity } from "../identity.ts";
import type { Mint } from "../mint.ts";
import type { SandboxVariant } from "../options.ts";
import type { Store } from "../store.ts";

/** What the handlers work on. */
export interface Stack {
  readonly variant: SandboxVariant;
  readonly identity: Identity;
  readonly store: Store;
  readonly mint: Mint;
  readonly now: () => number;
}

/** One request as a handler sees it. */
export interface Call {
  /** The id in the path; empty where the route has none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the variant's base address, such as `dashboards/:id`. */
  readonly path: string;
  /** Throws `Refusal` for an answer that is not 200. Runs in one go, so that writes never interleave. */
  readonly handle: (call: Call) => Reply;
  /** Whether the data file has to follow before the answer goes out. */
  readonly writes: boolean;
}
