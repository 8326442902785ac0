import { loadConfig } from "../config/load-config.ts";
import { createRedactor } from "../redaction/redactor.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { RedactionLevel, RedactionPolicy } from "../redaction/policy.ts";
import { createSecretScanner } from "../redaction/scanner.ts";
import type { Session } from "./session.ts";

/** What a run adds to the rules that everybody has. */
export interface RedactionOfRun {
  readonly level?: RedactionLevel;
  /** Secrets known by their value. */
  readonly literals?: readonly string[];
}

/** The rules of a run, those of the configuration among them, as plain data. */
export async function redactionOfRun(
  { io, globals }: Session,
  { level = "standard", literals = [] }: RedactionOfRun = {},
): Promise<Omit<RedactionPolicy, "scanner">> {
  const { redaction = {} } = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  return { ...redaction, level, literals };
}

/** What a command takes secrets out with: those rules, and the scanner. */
export async function redactorOfRun(session: Session, more: RedactionOfRun = {}): Promise<Redactor> {
  return createRedactor({ ...(await redactionOfRun(session, more)), scanner: createSecretScanner() });
}
