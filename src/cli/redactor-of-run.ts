import { loadConfig } from "../config/load-config.ts";
import { createRedactor } from "../domain/redaction/create-redactor.ts";
import type { Redactor } from "../domain/redaction/create-redactor.ts";
import type { RedactionLevel } from "../domain/redaction/redaction-policy.ts";
import { createSecretScanner } from "../secrets/create-secret-scanner.ts";
import type { Session } from "./session.ts";

/** What a command takes secrets out with: the rules that everybody has, those of the configuration, and the scanner. */
export async function redactorOfRun(
  { io, globals }: Session,
  {
    level = "standard",
    literals = [],
  }: { readonly level?: RedactionLevel; readonly literals?: readonly string[] } = {},
): Promise<Redactor> {
  const { redaction = {} } = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  return createRedactor({ ...redaction, level, scanner: createSecretScanner(), literals });
}
