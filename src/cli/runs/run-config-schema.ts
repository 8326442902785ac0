import { configJsonSchema } from "../../config/config-json-schema.ts";
import type { CommandResult } from "../report.ts";

/** Prints the JSON Schema of the configuration file. */
export function runConfigSchema(): CommandResult {
  const schema = configJsonSchema();
  return { exitCode: 0, text: () => `${JSON.stringify(schema, undefined, 2)}\n`, extra: { schema } };
}
