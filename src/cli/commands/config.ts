import { defineCommand } from "../program/parse/define-command.ts";
import { checkBaseUrl } from "../../client/options.ts";
import type { Config } from "../../config/load-config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { resolveRepository } from "../../config/repositories.ts";
import { configJsonSchema } from "../../config/schema.ts";
import { resolveStack } from "../../config/stacks/stacks.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Warning } from "../../core/outcome.ts";
import type { CommandResult, ReportedStack } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { sameStackWarning, toReportedStack } from "../wiring/stack.ts";
import { printable } from "../../core/text/printable.ts";
import { address } from "../output/inspect/archive.ts";
import type { Cell } from "../output/terminal/table.ts";
import { renderTable } from "../output/terminal/table.ts";
import type { OutputOptions } from "../output/terminal/theme.ts";

export const configCommand = defineCommand("config", {
  prepare: (args) => args,
  run: async ({ action }, session) => (action === "schema" ? printSchema() : checkConfig(session)),
});

/**
 * Resolves every stack and repository of the configuration file, secrets included. Unlike `doctor` it sends no request. A broken
 * entry does not hide the others.
 */
async function checkConfig(session: Session): Promise<CommandResult> {
  const { globals, io, events } = session;
  const config = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  if (config.path === undefined) {
    const hint = "write a stackferry.yaml (a sample is in the package), or name one with --config";
    throw new StackferryError("config", `there is no stackferry.yaml in ${io.cwd}`, { hint });
  }
  const checked: CheckedStack[] = [];
  for (const name of config.stacks.keys()) checked.push(await checkStack(name, config, session));
  const repositories: CheckedRepository[] = [];
  for (const name of config.repositories?.keys() ?? []) repositories.push(await checkRepository(name, config, session));
  for (const warning of warningsOf(config, checked)) events({ type: "warning", warning });
  const { path } = config;
  return {
    exitCode: [...checked, ...repositories].some(({ error }) => error !== undefined) ? 2 : 0,
    text: (display) => configText(path, checked, repositories, display),
    details: { config: path, stacks: checked.map(configEntryJson), repositories: repositories.map(configEntryJson) },
  };
}

async function checkStack(name: string, config: Config, { io, globals, events }: Session): Promise<CheckedStack> {
  const flags = { ...globals.pacing, caFile: globals.caFile, allowHttp: globals.allowHttp };
  try {
    const settings = await resolveStack(name, "any", { config, env: io.env, flags, cwd: io.cwd });
    for (const warning of settings.warnings) events({ type: "warning", warning });
    checkBaseUrl(settings.identity.baseUrl, settings.allowHttp);
    return { name, stack: toReportedStack(settings) };
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { name, error };
  }
}

async function checkRepository(name: string, config: Config, { io }: Session): Promise<CheckedRepository> {
  try {
    const { address } = await resolveRepository(name, { config, env: io.env, cwd: io.cwd });
    return { name, address };
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { name, error };
  }
}

function warningsOf({ path = "", unusedProfiles = [] }: Config, checked: readonly CheckedStack[]): Warning[] {
  const unused = unusedProfiles.map((name) => ({
    code: "unused-profile",
    message: `${path}: no stack extends the profile ${name}`,
  }));
  const first = new Map<string, string>();
  const twice = checked.flatMap(({ name, stack }): Warning[] => {
    if (stack === undefined) return [];
    const { label: _label, ...identity } = stack;
    const key = JSON.stringify(identity);
    const other = first.get(key);
    first.set(key, other ?? name);
    return other === undefined ? [] : [sameStackWarning(path, name, other)];
  });
  return [...unused, ...twice];
}

function configEntryJson({
  name,
  error,
  stack,
  address,
}: CheckedStack & CheckedRepository): Readonly<Record<string, unknown>> {
  if (error === undefined) return { name, ok: true, ...stack, address };
  return { name, ok: false, error: { code: error.code, message: error.message, hint: error.hint } };
}

/** Prints the JSON Schema of the configuration file. */
function printSchema(): CommandResult {
  const schema = configJsonSchema();
  return { exitCode: 0, text: () => `${JSON.stringify(schema, undefined, 2)}\n`, isPayload: true, details: { schema } };
}

/** The result of checking one configured stack. */
interface CheckedStack {
  readonly name: string;
  readonly stack?: ReportedStack;
  readonly error?: StackferryError;
}

/** The result of checking one configured repository. */
interface CheckedRepository {
  readonly name: string;
  readonly address?: string;
  readonly error?: StackferryError;
}

/** Renders the stacks and repositories of a configuration file, each with the error that prevents its use. */
function configText(
  path: string,
  checked: readonly CheckedStack[],
  repositories: readonly CheckedRepository[],
  display: OutputOptions,
): string {
  const { theme } = display;
  const result = (error: unknown): Cell =>
    error === undefined ? { text: "✓ complete", paint: theme.good } : { text: "✗ cannot be used", paint: theme.bad };
  const rows = [
    ...checked.map(({ name, stack, error }): Cell[] => [
      name,
      stack?.variant ?? "",
      stack === undefined ? "" : address(stack),
      result(error),
    ]),
    ...repositories.map(({ name, address: repository = "", error }): Cell[] => [
      name,
      "repository",
      repository,
      result(error),
    ]),
  ];
  const columns = ["NAME", "WHAT", "ADDRESS", ""];
  const problems = [...checked, ...repositories].flatMap(({ name, error }) => {
    if (error === undefined) return [];
    const hint = error.hint === undefined ? "" : `  ${printable(error.hint)}\n`;
    return [`${theme.bad("✗")} ${printable(`${name}: ${error.message}`)}\n${hint}`];
  });
  const title = `${theme.strong(printable(path))}\n`;
  const table = rows.length === 0 ? "it names no stack and no repository\n" : renderTable({ columns, rows }, display);
  return [title, table, ...problems].join("");
}
