import { resolve } from "node:path";
import type { CodeValues } from "../../archive/as-code/values.ts";
import { readTextFile } from "../../config/expand-values.ts";
import { codeValuesSchema } from "../../config/stacks/stack-schema.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { Session } from "../program/session.ts";

/**
 * Returns the values of the placeholders in code files: those that the stack's configuration gives, and those in the file that
 * `--values` names, which take precedence. Nothing is filled in in that file: whoever writes it could otherwise have a variable or
 * a file of this machine written into dashboards.
 * @throws StackferryError `config` for a file that cannot be read or contains anything but names with values
 */
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
