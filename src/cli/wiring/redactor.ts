import { loadConfig } from "../../config/load-config.ts";
import { redactorOf } from "../../library/options/option-values.ts";
import type { RedactionLevel } from "../../redaction/policy.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { Session } from "../program/session.ts";

/** The run's additions to the common redaction rules. */
export interface RedactionOfRun {
  readonly level?: RedactionLevel;
  /** Secrets whose exact text is known. */
  readonly literals?: readonly string[];
}

/** Creates a command's redactor from the common rules, those of the configuration, and the secret scanner. */
export async function redactorOfRun(
  { io, globals }: Session,
  { level = "standard", literals = [] }: RedactionOfRun = {},
): Promise<Redactor> {
  const { redaction = {} } = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  return redactorOf({ ...redaction, level }, literals);
}
