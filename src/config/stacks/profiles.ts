import type { z } from "zod";
import { extendsSchema, profileSchema, stackSchema, type ConfiguredStack } from "./stack-schema.ts";

type Members = Readonly<Record<string, unknown>>;
type Path = readonly PropertyKey[];

interface Unapplied {
  readonly profiles?: Readonly<Record<string, Members>> | undefined;
  readonly stacks?: Readonly<Record<string, Members>> | undefined;
}

export interface AppliedProfiles {
  readonly stacks: Readonly<Record<string, ConfiguredStack>>;
  /** Profiles that no stack extends. */
  readonly unusedProfiles: readonly string[];
}

/**
 * Merges each stack's own members over the members of its profiles, and validates the result. Merges before parsing, so that one
 * schema validates stacks with and without profiles.
 */
export function applyProfiles<File extends Unapplied>(
  file: File,
  context: z.core.$RefinementCtx,
): File & AppliedProfiles {
  const profiles = new Map(Object.entries(file.profiles ?? {}));
  for (const [name, members] of profiles) check(profileSchema, members, () => ["profiles", name], context);
  const used = new Set<string>();
  const stacks = Object.entries(file.stacks ?? {}).flatMap(([name, { extends: names, ...ownMembers }]) => {
    const inherited = wantedProfiles(names, ["stacks", name, "extends"], profiles, context);
    for (const profile of inherited) used.add(profile);
    const layers = [...inherited.map((profile) => profiles.get(profile)), ownMembers];
    const merged = layers.reduce<Members>((below, above) => ({ ...below, ...above }), {});
    const pathOf = originOf(name, ownMembers, inherited, profiles);
    const stack = check(stackSchema, merged, pathOf, context);
    return stack === undefined ? [] : [[name, stack] as const];
  });
  const unusedProfiles = [...profiles.keys()].filter((name) => !used.has(name));
  return { ...file, stacks: Object.fromEntries(stacks), unusedProfiles };
}

function wantedProfiles(
  names: unknown,
  path: Path,
  profiles: ReadonlyMap<string, Members>,
  context: z.core.$RefinementCtx,
): string[] {
  if (names === undefined) return [];
  const profileNames = [check(extendsSchema, names, () => path, context) ?? []].flat();
  const existingNames = profileNames.filter((name) => profiles.has(name));
  if (existingNames.length < profileNames.length) {
    const list = profiles.size === 0 ? "there are none" : `there are ${[...profiles.keys()].join(", ")}`;
    context.addIssue({ code: "custom", path: [...path], message: `names a profile that is not in the file (${list})` });
  }
  return existingNames;
}

/** Returns a function that finds the path of the stack or profile that an invalid member comes from. */
function originOf(
  name: string,
  ownMembers: Members,
  inherited: readonly string[],
  profiles: ReadonlyMap<string, Members>,
): (member: PropertyKey | undefined) => Path {
  return (member) => {
    const hasMember = (members: Members | undefined): boolean =>
      members !== undefined && member !== undefined && Object.hasOwn(members, member);
    const profile = hasMember(ownMembers)
      ? undefined
      : inherited.findLast((profileName) => hasMember(profiles.get(profileName)));
    return profile === undefined ? ["stacks", name] : ["profiles", profile];
  };
}

function check<T>(
  schema: z.ZodType<T>,
  value: unknown,
  pathOf: (member: PropertyKey | undefined) => Path,
  context: z.core.$RefinementCtx,
): T | undefined {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    context.issues.push({ ...issue, input: undefined, path: [...pathOf(issue.path[0]), ...issue.path] });
  }
  return undefined;
}
