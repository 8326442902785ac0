import { resolve } from "node:path";
import { errorMessage } from "../../core/errors.ts";
import type { Channel, RunSummary } from "../../telemetry/channel.ts";
import { channelUrl } from "../../telemetry/channel.ts";
import { otlpChannel } from "../../telemetry/otlp.ts";
import { metricsFileChannel } from "../../telemetry/prometheus.ts";
import { proxyEnv } from "../wiring/stack.ts";
import type { Session } from "./session.ts";

/** What is told may cost a run this long at its end, and no more, whatever the other side does. */
const PATIENCE_MS = 5000;

/** What of a session a notifier needs. */
type Told = Pick<Session, "globals" | "io" | "secretFilter" | "events">;

/** Tells others of a run. Nothing that goes wrong here changes how the run ends: it is a warning. */
export interface RunNotifier {
  /** Does not hold the run up. */
  start(): void;
  end(summary: RunSummary): Promise<void>;
}

/**
 * The notifier that `--notify`, `--metrics-file` and `--otlp`, or the variables that stand in for them, ask for.
 * @throws StackferryError `usage` for an address that is none: that is a mistake to correct, not a failure to get over.
 */
export async function createRunNotifier(session: Told, patienceMs = PATIENCE_MS): Promise<RunNotifier> {
  const channels = await wantedChannels(session, patienceMs);
  const tell = async (what: (channel: Channel, signal: AbortSignal) => Promise<void> | undefined): Promise<void> => {
    await Promise.all(channels.map((channel) => tryOnce(channel, what, session, patienceMs)));
  };
  let started = Promise.resolve();
  return {
    start() {
      started = tell((channel, signal) => channel.start?.(signal));
    },
    async end(summary) {
      // A service that hears of the end before the start shows the run as still going on.
      await started;
      await tell((channel, signal) => channel.end(summary, signal));
    },
  };
}

async function wantedChannels({ globals, io, secretFilter }: Told, timeoutMs: number): Promise<Channel[]> {
  const { env } = io;
  const notify = wanted(globals.notify, "--notify", env["STACKFERRY_NOTIFY"], "STACKFERRY_NOTIFY");
  const otlp = wanted(globals.otlp, "--otlp", env["STACKFERRY_OTLP"], "STACKFERRY_OTLP");
  const file = globals.metricsFile ?? (env["STACKFERRY_METRICS_FILE"] || undefined);
  const channels: Channel[] = [];
  if (notify !== undefined) {
    // Whoever knows the address of a check can report in its name.
    secretFilter.add(notify.text);
    const url = channelUrl(notify.text, notify.from);
    const { pingChannel } = await import("../../telemetry/ping.ts");
    channels.push(pingChannel(url, proxyEnv(env)));
  }
  if (file !== undefined) channels.push(metricsFileChannel(resolve(io.cwd, file)));
  if (otlp !== undefined) {
    const portGiven = /^[a-z]+:\/\/[^/?#]*:\d+(?:[/?#]|$)/i.test(otlp.text);
    channels.push(otlpChannel(channelUrl(otlp.text, otlp.from), { portGiven, timeoutMs }));
  }
  return channels;
}

function wanted(
  flag: string | undefined,
  flagName: string,
  variable: string | undefined,
  variableName: string,
): { text: string; from: string } | undefined {
  if (flag !== undefined) return { text: flag, from: flagName };
  return variable ? { text: variable, from: variableName } : undefined;
}

async function tryOnce(
  channel: Channel,
  what: (channel: Channel, signal: AbortSignal) => Promise<void> | undefined,
  session: Told,
  patienceMs: number,
): Promise<void> {
  const controller = new AbortController();
  const late = new Error(`no answer within ${patienceMs / 1000} s`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    // A channel that does not heed the signal is not waited for either.
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late), patienceMs);
    });
    await Promise.race([what(channel, controller.signal), timeout]);
  } catch (error) {
    const message = `${channel.label} could not be told of this run: ${reasonOf(error)}`;
    session.events({ type: "warning", warning: { code: "notify-failed", message } });
  } finally {
    clearTimeout(timer);
    controller.abort(late);
  }
}

/** `fetch failed` says nothing; what caused it does. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return errorMessage(cause instanceof Error && cause.message !== "" ? cause : error);
}
