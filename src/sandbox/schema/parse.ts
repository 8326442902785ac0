import type { z } from "zod";
import { Refusal } from "../refusal.ts";
import { issueMessage } from "./issue-message.ts";

interface Fault {
  /** Dotted, such as `tiles.1.w`; empty for the body as a whole. */
  readonly path: string;
  readonly message: string;
}

export type Parsed<Out> = { readonly ok: true; readonly value: Out } | { readonly ok: false; readonly faults: Fault[] };

/** `value` as the schema reads it, or every fault with its place. */
export function inspect<Out>(schema: z.ZodType<Out>, value: unknown): Parsed<Out> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { ok: true, value: result.data };
  const faults = result.error.issues.map((issue) => ({ path: issue.path.join("."), message: issueMessage(issue) }));
  return { ok: false, faults };
}

/** `value` as the schema reads it. Throws `Refusal` 400 naming every fault, as the servers do. */
export function parse<Out>(schema: z.ZodType<Out>, value: unknown, part: "Body" | "Query" | "Params"): Out {
  const parsed = inspect(schema, value);
  if (parsed.ok) return parsed.value;
  const faults = parsed.faults.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  throw new Refusal(400, `${part} validation failed: ${faults.join("; ")}`);
}
