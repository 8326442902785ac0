import type { z } from "zod";

type Members = Readonly<Record<string, unknown>>;

/**
 * Merges each stack's own members over those of its profiles, in a file that is not checked yet: one schema then checks stacks with
 * and without profiles.
 */
export function applyProfiles(file: unknown, context: z.core.$RefinementCtx): unknown {
  if (!isMembers(file) || !isMembers(file["stacks"])) return file;
  const profiles = isMembers(file["profiles"]) ? file["profiles"] : {};
  const stacks = Object.entries(file["stacks"]).map(([name, stack]) => {
    if (!isMembers(stack) || stack["extends"] === undefined) return [name, stack];
    const { extends: named, ...ownMembers } = stack;
    const names = [named].flat().map(String);
    if (!names.every((profile) => Object.hasOwn(profiles, profile))) {
      const message = "it names a profile that is not in the file";
      context.addIssue({ code: "custom", path: ["stacks", name, "extends"], message });
    }
    const layers = [...names.map((profile) => profiles[profile]), ownMembers];
    return [name, layers.reduce<Members>((below, above) => (isMembers(above) ? { ...below, ...above } : below), {})];
  });
  return { ...file, stacks: Object.fromEntries(stacks) };
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
