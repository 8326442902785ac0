import { dirname, resolve } from "node:path";
import {
  JOURNALS_FOLDER,
  journalFinder,
  type FindJournal,
  type JournalPlace,
} from "../../library/steps/journal-place.ts";
import { loadConfig, type Config } from "../../config/load-config.ts";
import type { StackSources } from "../../config/stacks/stacks.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { Session } from "../program/session.ts";
import type { CodeValues } from "../../archive/as-code/values.ts";
import { readTextFile } from "../../config/expand-values.ts";
import { codeValuesSchema } from "../../config/schema.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";

export interface JournalsFlag {
  readonly journals: string | undefined;
}

export function loadSessionConfig({ io, globals }: Pick<Session, "io" | "globals">): Promise<Config> {
  return loadConfig({ file: globals.config, cwd: io.cwd });
}

export function stackSourcesOf(config: Config, { io, globals }: Pick<Session, "io" | "globals">): StackSources {
  const flags = { ...globals.pacing, caFile: globals.ca, allowHttp: globals.allowHttp };
  return { config, env: io.env, flags, cwd: io.cwd };
}

export async function createRunRedactor(session: Session): Promise<Redactor> {
  const { redaction = {} } = await loadSessionConfig(session);
  // Imported on demand: the rules load slowly, and many commands need none.
  const { buildRedactor } = await import("../../library/options/option-values.ts");
  return buildRedactor(redaction);
}

/** `${env:…}` and `${file:…}` are not filled in: the file's author could put secrets of this machine into dashboards. */
export async function readCodeValues(
  { values = {} }: Pick<StackSettings, "values">,
  file: string | undefined,
  session: Session,
): Promise<CodeValues> {
  if (file === undefined) return values;
  const path = resolve(session.io.cwd, file);
  const text = await readTextFile(
    path,
    `the values file ${path} cannot be read`,
    "create the file, or correct the path",
  );
  const { parseYaml } = await import("../../config/yaml.ts");
  return { ...values, ...parseYaml(text, path, codeValuesSchema) };
}

export async function journalPlaceOf({ journals }: JournalsFlag, session: Session): Promise<JournalPlace> {
  const { cwd } = session.io;
  const config = await loadSessionConfig(session);
  const base = config.path === undefined ? cwd : dirname(config.path);
  const folder = journals === undefined ? resolve(base, config.journals ?? JOURNALS_FOLDER) : resolve(cwd, journals);
  return { folder, base };
}

export async function findJournalOf(request: JournalsFlag, session: Session): Promise<FindJournal> {
  return journalFinder(await journalPlaceOf(request, session));
}
