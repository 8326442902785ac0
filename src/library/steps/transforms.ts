import { transformsSchema } from "../../config/stacks/transforms-schema.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Transforms } from "../../core/plan/transforms.ts";

/** Checks transforms that a program gives, like those of a configuration file. @throws StackferryError `usage` */
export function transformsOf(transforms: Transforms | undefined): Transforms | undefined {
  if (transforms === undefined) return undefined;
  const { data, error } = transformsSchema.safeParse(transforms);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const member = ["transforms", ...(issue?.path ?? [])].map(String).join(".");
  throw new StackferryError("usage", `${member}: ${issue?.message ?? "not understood"}`);
}
