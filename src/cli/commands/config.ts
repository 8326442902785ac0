import { stackAddressOf } from "../../config/stacks/stack-address.ts";
import { resolveStackSettings } from "../../config/stacks/stacks.ts";
import { StackferryError } from "../../core/errors.ts";
import { printableText } from "../../core/text/printable.ts";
import { errorMembers, type CommandResult, type ReportedStack } from "../output/document.ts";
import { renderTable, type Cell } from "../output/table.ts";
import { problemLine, type OutputOptions } from "../output/terminal.ts";
import type { Session } from "../program/session.ts";
import { resolveRepositorySettings } from "../../config/repositories.ts";
import { configJsonSchema } from "../../config/schema.ts";
import { defineCommand } from "../program/define-command.ts";
import { checkRepositoryKeys } from "../inputs/keys.ts";
import { loadSessionConfig, stackSourcesOf } from "../inputs/config.ts";
import { openClient, toReportedStack } from "../inputs/stack.ts";

export const command = defineCommand({
  positionals: {
    action: {
      choices: ["check", "schema"],
      demandOption: true,
      describe:
        "check: test whether every stack is complete and its secrets are there; schema: print the schema for an editor",
    },
  },
  flags: {},
  examples: [
    ["config check", "resolves every stack of stackferry.yaml; sends no request"],
    ["config schema > stackferry.schema.json", "name it in the file: # yaml-language-server: $schema=…"],
  ],
  exitCodes: [0, 1, 2],
  run: async ({ action }, session) => {
    if (action === "check") return checkConfig(session);
    const schema = configJsonSchema();
    return {
      exitCode: 0,
      text: () => `${JSON.stringify(schema, undefined, 2)}\n`,
      isPayload: true,
      details: { schema },
    };
  },
});

/** Sends no request. A broken entry does not hide the errors of others. */
async function checkConfig(session: Session): Promise<CommandResult> {
  const { io } = session;
  const config = await loadSessionConfig(session);
  if (config.path === undefined) {
    const hint = "run `stackferry init` in its folder, or name a file with --config";
    throw new StackferryError("config", `there is no stackferry.yaml in ${io.cwd}`, { hint });
  }
  const { path } = config;
  const sources = stackSourcesOf(config, session);
  const stacks = await checkEach(config.stacks.keys(), async (name) => {
    const settings = await resolveStackSettings(name, "any", sources);
    for (const warning of settings.warnings) session.events({ type: "warning", warning });
    // A new client checks its settings, and sends nothing before its first operation.
    await using _client = openClient(settings, session);
    return { stack: toReportedStack(settings) };
  });
  const repositories = await checkEach(config.repositories.keys(), async (name) => {
    const settings = await resolveRepositorySettings(name, sources);
    await checkRepositoryKeys(settings, session);
    return { address: settings.address };
  });
  const entries = [...stacks, ...repositories];
  const isUsable = entries.length > 0 && entries.every(({ error }) => error === undefined);
  return {
    exitCode: isUsable ? 0 : 2,
    text: (display) => configText(path, stacks, repositories, display),
    details: { config: path, stacks: stacks.map(configEntryJson), repositories: repositories.map(configEntryJson) },
  };
}

async function checkEach(
  names: Iterable<string>,
  resolveEntry: (name: string) => Promise<Pick<CheckedEntry, "stack" | "address">>,
): Promise<CheckedEntry[]> {
  const entries: CheckedEntry[] = [];
  for (const name of names) {
    try {
      entries.push({ name, ...(await resolveEntry(name)) });
    } catch (error) {
      if (!(error instanceof StackferryError)) throw error;
      entries.push({ name, error });
    }
  }
  return entries;
}

function configEntryJson({ name, error, stack, address }: CheckedEntry): Readonly<Record<string, unknown>> {
  if (error === undefined) return { name, ok: true, ...stack, address };
  return { name, ok: false, error: errorMembers(error) };
}

interface CheckedEntry {
  readonly name: string;
  readonly stack?: ReportedStack;
  readonly address?: string;
  readonly error?: StackferryError;
}

function configText(
  path: string,
  stacks: readonly CheckedEntry[],
  repositories: readonly CheckedEntry[],
  display: OutputOptions,
): string {
  const { theme } = display;
  const result = (error: unknown): Cell =>
    error === undefined ? { text: "✓ complete", paint: theme.good } : { text: "✗ cannot be used", paint: theme.bad };
  const rows = [
    ...stacks.map(({ name, stack, error }) => [
      name,
      stack?.variant ?? "",
      stack ? stackAddressOf(stack) : "",
      result(error),
    ]),
    ...repositories.map(({ name, address = "", error }) => [name, "repository", address, result(error)]),
  ];
  const columns = ["NAME", "WHAT", "ADDRESS", ""];
  const problems = [...stacks, ...repositories].flatMap(({ name, error }) =>
    error === undefined ? [] : [problemLine(`${name}: ${error.message}`, error.hint, theme)],
  );
  const title = `${theme.strong(printableText(path))}\n`;
  const table =
    rows.length === 0
      ? "it names no stack and no repository: `stackferry init` adds one\n"
      : renderTable({ columns, rows }, display);
  return [title, table, ...problems].join("");
}
