import {
  startSandbox,
  type Sandbox,
  type SandboxOptions,
  type SandboxSeed,
  type SandboxVariant,
} from "./start-sandbox.ts";
import { commandWords } from "./command-words.ts";
import { startFaultySandbox, type FaultyOptions } from "./faults/start-faulty-sandbox.ts";
import { documentOf, runCli, type CliRun, type RunCliOptions } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A folder in which the program runs. In a command, $FROM and $TO, or $STACK, stand for the addresses of sandboxes. */
export interface Program extends AsyncDisposable {
  readonly cwd: string;
  /** The variables with the keys of the sandboxes. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command line, such as `migrate --from $FROM --to $TO`. Variables of the options take precedence over `env`. */
  readonly run: (command: string, options?: RunCliOptions) => Promise<CliRun>;
  /** Runs a command line with `--json`, and returns the document. */
  readonly json: (command: string, options?: RunCliOptions) => Promise<Record<string, unknown>>;
}

/** Two sandboxes, and the program. */
export interface ProgramForTwoStacks extends Program {
  readonly from: Sandbox;
  readonly to: Sandbox;
}

/** Starts two sandboxes, and sets up the program for them. @param env more variables of the program */
export async function programForTwoStacks(
  source: FaultyOptions,
  target: FaultyOptions,
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramForTwoStacks> {
  const from = await startFaultySandbox(source);
  const to = await startFaultySandbox(target).catch(async (error: unknown) => {
    await from.close();
    throw error;
  });
  return { from, to, ...programFor({ FROM: from, TO: to }, { ...sandboxEnv(from, to), ...env }) };
}

/** Starts one sandbox, and sets up the program for it. */
export async function programForOneStack(options: SandboxOptions): Promise<Program & { readonly stack: Sandbox }> {
  const stack = await startSandbox(options);
  return { stack, ...programFor({ STACK: stack }, sandboxEnv(stack)) };
}

/** Sets up the program in a new folder. Disposing of it closes these sandboxes. */
export function programFor(
  sandboxes: Readonly<Record<string, Sandbox>> = {},
  env: Readonly<Record<string, string>> = {},
): Program {
  const cwd = temporaryFolder();
  const addresses = Object.fromEntries(Object.entries(sandboxes).map(([name, { stack }]) => [name, stack]));
  const run: Program["run"] = (command, options = {}) =>
    runCli(commandWords(command, addresses), { cwd, ...options, env: { ...env, ...options.env } });
  return {
    cwd,
    env,
    run,
    json: async (command, options) => documentOf(await run(`${command} --json`, options)),
    [Symbol.asyncDispose]: async () => {
      for (const sandbox of Object.values(sandboxes)) await sandbox.close();
    },
  };
}

/** Returns the variables with the keys of one or two sandboxes. */
export function sandboxEnv(from: Sandbox, to: Sandbox = from): Record<string, string> {
  return {
    ...credentialOf(from, "STACKFERRY_FROM_"),
    ...credentialOf(to, "STACKFERRY_TO_"),
    ...credentialOf(from, "STACKFERRY_"),
  };
}

function credentialOf(sandbox: Sandbox, prefix: string): Record<string, string> {
  const { apiKey, keyId, keySecret } = sandbox;
  return Object.fromEntries(
    Object.entries({ API_KEY: apiKey, KEY_ID: keyId, KEY_SECRET: keySecret }).flatMap(([name, value]) =>
      value === undefined ? [] : [[prefix + name, value]],
    ),
  );
}

/** Returns the seed of a bare stack with the saved searches of the sample, which the API of an older stack cannot create. */
export async function bareWithSearches(variant: SandboxVariant): Promise<SandboxSeed> {
  await using sample = await startSandbox({ variant, seed: "sample" });
  const { connections, sources, webhooks, "saved-searches": searches } = sample.stored();
  return { connections, sources, webhooks, "saved-searches": searches };
}

/** Returns the seed of a stack that has, of the sample, only the dashboards with these names, and the alerts on them. */
export async function sampleWith(variant: SandboxVariant, ...names: readonly string[]): Promise<SandboxSeed> {
  await using sample = await startSandbox({ variant, seed: "sample" });
  const { dashboards, alerts, "saved-searches": _left, ...others } = sample.stored();
  const taken = dashboards.filter(({ name }) => names.includes(String(name)));
  const ids = new Set<unknown>(taken.map(({ id }) => id));
  return { ...others, dashboards: taken, alerts: alerts.filter(({ dashboardId }) => ids.has(dashboardId)) };
}

/** Returns the text of a map file for the webhooks and saved searches of the sample: it maps ids of the same names. */
export function sampleMap(from: Sandbox, to: Sandbox): string {
  return `${webhookMap(from, to)}${searchMap(from, to)}`;
}

/** Returns the text of a map file that maps only the saved searches. */
export function searchMap(from: Sandbox, to: Sandbox): string {
  const there = to.stored()["saved-searches"];
  const lines = from.stored()["saved-searches"].map(({ id, name }) => {
    const same = there.find((search) => search["name"] === name);
    return `  ${JSON.stringify(id)}: ${JSON.stringify(same?.id ?? "")}\n`;
  });
  return `saved-searches:\n${lines.join("")}`;
}

/** Returns the text of a map file for the webhooks of the sample's alerts: it maps ids of the same names. */
export function webhookMap(from: Pick<Sandbox, "webhooks">, to: Sandbox): string {
  const lines = from.webhooks.map(({ id, name }) => {
    const same = to.webhooks.find((webhook) => webhook.name === name);
    return `  ${JSON.stringify(id)}: ${JSON.stringify(same?.id ?? "")}\n`;
  });
  return `webhooks:\n${lines.join("")}`;
}
