import type { StackSettings } from "../../config/stack-settings.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { StackferryError } from "../../core/errors.ts";
import type { EventSink } from "../../core/events.ts";
import type { StackClient } from "../../core/ports.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { foreignApiError } from "../../kinds/foreign-api.ts";
import { kinds } from "../../kinds/registry.ts";
import { stackArguments } from "../flags/arguments.ts";
import type { Examination, ExaminedKind } from "../output/doctor.ts";
import { doctorText } from "../output/doctor.ts";
import type { CommandResult } from "../output/document.ts";
import { defineCommand } from "../program/define-command.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import { exitCodeOf } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { openClient, reported, resolveFor } from "../wiring/stack.ts";

export const doctorCommand = defineCommand("doctor", {
  positionals: {
    stack: { ...stackArguments, demandOption: true },
  },
  flags: {},
  examples: [
    ["doctor production staging", "both stacks of the configuration file"],
    ["doctor http://localhost:8000", "the key comes from STACKFERRY_API_KEY"],
  ],
  exitCodes: [0, 2, 3, 5, 6, 130],
  prepare: (args) => (session) => runDoctor(args.stack, session),
});

/** Looks at each stack in turn. The exit code is that of the first one that is not well. */
export async function runDoctor(references: readonly string[], session: Session): Promise<CommandResult> {
  const stacks = [];
  for (const reference of references) stacks.push(await resolveFor(reference, "any", session));
  const examinations: Examination[] = [];
  for (const settings of stacks) {
    session.events({ type: "phase", phase: `asking ${settings.label}` });
    examinations.push(await examineStack(settings, session));
  }
  return {
    exitCode: exitCodeOfAll(examinations),
    text: (display) => examinations.map((examination) => doctorText(examination, display)).join("\n"),
    extra: { stacks: examinations.map(described) },
  };
}

function exitCodeOfAll(examinations: readonly Examination[]): ExitCode {
  const sick = examinations.find(({ error }) => error !== undefined);
  return sick === undefined ? 0 : exitCodeOf(sick.error);
}

function described({ settings, kinds, requests, limit, error }: Examination): Readonly<Record<string, unknown>> {
  const failed = error === undefined ? undefined : { code: error.code, message: error.message, hint: error.hint };
  const code = error?.code;
  const listed = kinds.some(({ status }) => status === "listed" || status === "not-offered") || kinds.length === 0;
  // What is not this API has accepted nothing.
  const proven = kinds.some(({ status }) => status === "listed");
  const reachable = code === undefined || code === "unauthorized" || code === "forbidden" || listed;
  return {
    ...reported(settings),
    reachable,
    accepted: proven && code !== "unauthorized",
    kinds,
    requests,
    limit,
    error: failed,
  };
}

/** `doctor` is run to know the state of now. It does not wait for a stack to come back. */
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
  const missing = new Map(
    examined
      .filter(({ status }) => status !== "not-tried" && status !== "by-id")
      .map(({ kind, status, code }) => [kind, status === "not-offered" ? status : code]),
  );
  // No route that needs the key was there to prove it with.
  error = foreignApiError(client.identity, kinds, missing) ?? error;
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
