import { z } from "zod";
import { configFileSchema } from "./config-schema.ts";

/** The JSON Schema of `stackferry.yaml` for editors, as the package ships it. Draft 7 is what YAML editors read best. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(configFileSchema, { io: "input", target: "draft-7" });
  return { $schema, title: "stackferry.yaml", description: "Configuration of stackferry", ...schema };
}
