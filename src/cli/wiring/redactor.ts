import { loadConfig } from "../../config/load-config.ts";
import { redactorOf } from "../../library/steps/redaction.ts";
import type { RedactionLevel } from "../../redaction/policy.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { Session } from "../program/session.ts";

/** What a run adds to the rules that everybody has. */
export interface RedactionOfRun {
  readonly level?: RedactionLevel;
  /** Secrets known by their value. */
  readonly literals?: readonly string[];
}

/** What a command takes secrets out with: the rules of everybody, those of the configuration, and the scanner. */
export async function redactorOfRun(
  { io, globals }: Session,
  { level = "standard", literals = [] }: RedactionOfRun = {},
): Promise<Redactor> {
  const { redaction = {} } = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  return redactorOf({ ...redaction, level }, literals);
}
