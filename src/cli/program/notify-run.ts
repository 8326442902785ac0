import { resolve } from "node:path";
import { systemMessage } from "../../files/errors.ts";
import type { Channel, RunSummary } from "../../telemetry/channel.ts";
import { otlpChannel } from "../../telemetry/otlp.ts";
import { readProxyEnv } from "./io.ts";
import type { Session } from "./session.ts";
import { metricsFileChannel } from "../../telemetry/metrics.ts";

/** The maximum time for one notification, in milliseconds. */
const MAX_MS = 5000;

type NotifyingSession = Pick<Session, "globals" | "io" | "outputScrubber" | "events">;

/** A failed notification is a warning, and never changes the exit code. */
export interface RunNotifier {
  /** Returns at once, without waiting for the answers. */
  start(): void;
  end(summary: RunSummary): Promise<void>;
}

/** @throws StackferryError `usage` for an invalid address */
export async function createRunNotifier(session: NotifyingSession, mostMs = MAX_MS): Promise<RunNotifier> {
  const channels = await wantedChannels(session, mostMs);
  const notify = async (send: (channel: Channel, signal: AbortSignal) => Promise<void> | undefined): Promise<void> => {
    await Promise.all(channels.map((channel) => tryOnce(channel, send, session, mostMs)));
  };
  let started = Promise.resolve();
  return {
    start() {
      started = notify((channel, signal) => channel.start?.(signal));
    },
    async end(summary) {
      // A service that receives the end before the start shows the run as still running.
      await started;
      await notify((channel, signal) => channel.end(summary, signal));
    },
  };
}

async function wantedChannels(
  { globals, io, outputScrubber }: NotifyingSession,
  timeoutMs: number,
): Promise<Channel[]> {
  const { env } = io;
  const notify = flagOrVariable("notify", globals, env);
  const otlp = flagOrVariable("otlp", globals, env);
  const file = globals.metricsFile ?? (env["STACKFERRY_METRICS_FILE"] || undefined);
  const channels: Channel[] = [];
  if (notify !== undefined) {
    // Anybody who knows the address can send pings for the monitor, so the address is a secret.
    outputScrubber.add(notify.text);
    const { parseChannelUrl, pingChannel } = await import("../../telemetry/channel.ts");
    const url = parseChannelUrl(notify.text, notify.from);
    const { createDispatcher } = await import("../../client/dispatcher.ts");
    const proxyEnv = readProxyEnv(env);
    channels.push(pingChannel(url, () => createDispatcher({ baseUrl: url, proxyEnv, timeoutMs })));
  }
  if (file !== undefined) channels.push(metricsFileChannel(resolve(io.cwd, file)));
  if (otlp !== undefined) {
    const { parseChannelUrl } = await import("../../telemetry/channel.ts");
    const hasPort = /^[a-z]+:\/\/[^/?#]*:\d+(?:[/?#]|$)/i.test(otlp.text);
    channels.push(otlpChannel(parseChannelUrl(otlp.text, otlp.from), { hasPort, timeoutMs }));
  }
  return channels;
}

function flagOrVariable(
  name: "notify" | "otlp",
  { [name]: flag }: NotifyingSession["globals"],
  env: NotifyingSession["io"]["env"],
): { readonly text: string; readonly from: string } | undefined {
  if (flag !== undefined) return { text: flag, from: `--${name}` };
  const variable = `STACKFERRY_${name.toUpperCase()}`;
  return env[variable] ? { text: env[variable], from: variable } : undefined;
}

async function tryOnce(
  channel: Channel,
  send: (channel: Channel, signal: AbortSignal) => Promise<void> | undefined,
  session: NotifyingSession,
  mostMs: number,
): Promise<void> {
  const controller = new AbortController();
  const late = new Error(`no answer within ${mostMs / 1000} s`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    // A channel can ignore the signal, so the timeout does not depend on the signal.
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late), mostMs);
    });
    await Promise.race([send(channel, controller.signal), timeout]);
  } catch (error) {
    const message = `${channel.label} did not receive the report of this run: ${reasonOf(error)}`;
    session.events({ type: "warning", warning: { code: "notify-failed", message } });
  } finally {
    clearTimeout(timer);
    controller.abort(late);
  }
}

/** Node's `fetch failed` has the reason only in `cause`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return systemMessage(cause instanceof Error && cause.message !== "" ? cause : error);
}
