import type { StackSettings } from "../../config/stack-settings.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import { StackferryError } from "../../domain/errors.ts";
import type { EventSink } from "../../domain/events.ts";
import type { RequestCounts, StackClient } from "../../domain/ports.ts";
import type { ResourceKind } from "../../domain/resource-kind.ts";
import { kinds } from "../../kinds/registry.ts";
import { openClient } from "../open-stack.ts";
import type { Session } from "../session.ts";

/** What the doctor found of one kind. `by-id`: it cannot be listed, only read with the id known. */
export interface ExaminedKind {
  readonly kind: string;
  readonly status: "listed" | "not-offered" | "by-id" | "failed" | "not-tried";
  readonly count?: number;
  readonly code?: ErrorCode;
  readonly message?: string;
}

/** What the doctor found of one stack. */
export interface Examination {
  readonly settings: StackSettings;
  readonly kinds: readonly ExaminedKind[];
  readonly requests: RequestCounts;
  /** The limit that was met, in the client's words. */
  readonly limit?: string;
  /** The first thing that went wrong. */
  readonly error?: StackferryError;
}

/** Whoever asks the doctor wants to know now, and not whether the stack comes back in two minutes. */
const RETRY_BUDGET_MS = 5000;

/** After these, the next request could not fare better. */
const HOPELESS: readonly ErrorCode[] = [
  "unauthorized",
  "unreachable",
  "unavailable",
  "rate-limited",
  "protocol",
  "config",
];

/** Lists every kind of a stack, one after another, and stops where the stack itself is what is wrong. */
export async function examineStack(settings: StackSettings, session: Session): Promise<Examination> {
  let limit: string | undefined;
  const events: EventSink = (event) => {
    if (event.type === "wait") limit = event.reason;
    session.events(event);
  };
  const examined: ExaminedKind[] = [];
  let error: StackferryError | undefined;
  await using client = openClient(settings, session, { events, maxRetryBudgetMs: RETRY_BUDGET_MS });
  for (const kind of kinds) {
    session.signal.throwIfAborted();
    if (error !== undefined && HOPELESS.includes(error.code)) {
      examined.push({ kind: kind.name, status: "not-tried" });
      continue;
    }
    const found = await examineKind(kind, client, session.signal);
    examined.push(found.examined);
    error ??= found.error;
  }
  const requests = client.requestCounts();
  return {
    settings,
    kinds: examined,
    requests,
    ...(limit !== undefined && { limit }),
    ...(error !== undefined && { error }),
  };
}

interface Found {
  readonly examined: ExaminedKind;
  readonly error?: StackferryError;
}

async function examineKind(kind: ResourceKind, client: StackClient, signal: AbortSignal): Promise<Found> {
  const { name } = kind;
  if (kind.listing === "by-id") {
    const offered = kind.routes[client.identity.variant].get !== undefined;
    return { examined: { kind: name, status: offered ? "by-id" : "not-offered" } };
  }
  let count = 0;
  try {
    for await (const page of client.list(kind, signal)) count += page.length;
    return { examined: { kind: name, status: "listed", count } };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    const { code, message } = error;
    if (code === "not-offered") return { examined: { kind: name, status: "not-offered" } };
    return { examined: { kind: name, status: "failed", code, message }, error };
  }
}
