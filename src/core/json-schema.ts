import { z } from "zod";

/** Returns the JSON Schema of a kind of file for editors, as the package ships it. YAML editors support draft 7 best. */
export function editorSchema(schema: z.ZodType, title: string, description: string): Readonly<Record<string, unknown>> {
  const { $schema, ...members } = z.toJSONSchema(schema, { io: "input", target: "draft-7" });
  return { $schema, title, description, ...members };
}
