import { once } from "node:events";
import { getOrMake } from "../../core/collections.ts";
import { StackferryError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { readRecords } from "../../import/read/archive-records.ts";
import { printableJson, printableText } from "../../core/text/printable.ts";
import { describeSandbox, startSandbox, type Sandbox, type SandboxOptions } from "../../sandbox/start-sandbox.ts";
import type { OutputOptions } from "../output/terminal.ts";
import type { Session } from "../program/session.ts";
import { numberFlag } from "../program/flags.ts";
import { defineCommand } from "../program/define-command.ts";
import { openArchiveFile } from "../inputs/archive.ts";

/** The address and keys are the first output on stdout. */
export const command = defineCommand({
  positionals: {},
  flags: {
    variant: {
      choices: ["managed", "self-hosted"],
      demandOption: true,
      describe: "Which variant of the API",
    },
    api: {
      choices: ["extended", "contract"],
      default: "extended",
      describe: "extended: with connections, saved searches and writes of all kinds; contract: an older deployment",
    },
    port: { describe: "Port to listen on (default: any free one)" },
    seed: {
      default: "none",
      describe:
        "Records to begin with. none: nothing; bare: connections, sources and webhooks; sample: those, 9 dashboards, 2 saved searches and 14 alerts; web: a fresh installation with records as only the web interface makes them; or the path of an archive",
    },
  },
  examples: [
    ["sandbox --variant self-hosted --seed sample", "a stack with dashboards, saved searches and alerts"],
    ["sandbox --variant self-hosted --seed bare --api contract", "an older one, which lists sources and webhooks only"],
    [
      "sandbox --variant managed --seed bare --json",
      "an empty one; prints its address and key as JSON on the first line",
    ],
  ],
  exitCodes: [0, 1, 2],
  run: async ({ variant, api, seed: seedName, port: portText }, session) => {
    const port = numberFlag(portText, "--port", { least: 0, most: 65_535 }) ?? 0;
    const { io, signal, globals, resultDisplay: out } = session;
    const seed = await readSandboxSeed(seedName, session);
    await using sandbox = await start({ variant, api, port, seed });
    io.stdout.write(globals.json ? `${printableJson(describeSandbox(sandbox))}\n` : sandboxText(sandbox, out));
    if (!signal.aborted) await once(signal, "abort");
    return { exitCode: 0, text: () => "", alreadyPrinted: true };
  },
});

/** The sandbox cannot import `StackferryError`, so its errors are plain errors with a code. */
async function start(options: SandboxOptions): Promise<Sandbox> {
  try {
    return await startSandbox(options);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (!(cause instanceof Error) || (code !== "sandbox-usage" && code !== "sandbox-io")) throw cause;
    throw new StackferryError(code === "sandbox-usage" ? "usage" : "archive-io", cause.message, { cause });
  }
}

async function readSandboxSeed(seed: string, session: Session): Promise<NonNullable<SandboxOptions["seed"]>> {
  if (seed === "none" || seed === "bare" || seed === "sample" || seed === "web") return seed;
  await using reader = await openArchiveFile(seed, session);
  const bodies = new Map<string, JsonObject[]>();
  for (const { kind, body } of await readRecords(reader, session.signal)) getOrMake(bodies, kind, () => []).push(body);
  return Object.fromEntries(bodies);
}

function sandboxText(sandbox: Sandbox, { theme }: OutputOptions): string {
  const { variant, stack, apiKey, keyId, keySecret, webhooks } = sandbox;
  // The names of stacks and variables are those of docs/migrate.md.
  const [name, variables, flags] =
    variant === "self-hosted"
      ? (["production", { PRODUCTION_API_KEY: apiKey }, "--api-key-from env:PRODUCTION_API_KEY"] as const)
      : ([
          "cloud",
          { CLOUD_KEY_ID: keyId, CLOUD_KEY_SECRET: keySecret },
          "--key-id-from env:CLOUD_KEY_ID --key-secret-from env:CLOUD_KEY_SECRET",
        ] as const);
  const exports = Object.entries(variables).map(([key, value]) => `  export ${key}=${printableText(value ?? "")}\n`);
  return [
    theme.strong(`A ${variant} stack is running on this machine`) + "\n",
    `  STACK  ${printableText(stack)}\n`,
    "\nPaste this into another terminal, in an empty folder or in the folder of your stackferry.yaml:\n",
    ...exports,
    `  stackferry init --name ${name} --url ${printableText(stack)} ${flags}\n`,
    `  stackferry export --from ${name}\n`,
    ...(webhooks.length === 0 ? [] : ["\nWebhooks:\n"]),
    ...webhooks.map((webhook) => `  ${printableText(webhook.id)}  ${printableText(webhook.name)}\n`),
    theme.faint("\nCtrl-C ends it.") + "\n",
  ].join("");
}
