import type { z } from "zod";
import { extendsMember, profileSchema, stackSchema } from "./stack-schema.ts";
import type { ConfiguredStack } from "./stack-schema.ts";

type Members = Readonly<Record<string, unknown>>;
type Path = readonly PropertyKey[];

/** The parts of the file that hang together. */
interface Unapplied {
  readonly profiles?: Readonly<Record<string, Members>> | undefined;
  readonly stacks?: Readonly<Record<string, Members>> | undefined;
}

/** The same, each stack complete. */
export interface Applied {
  readonly stacks: Readonly<Record<string, ConfiguredStack>>;
  /** Profiles that no stack takes over. */
  readonly unusedProfiles: readonly string[];
}

/**
 * Lays each stack's own members over those of its profiles and checks the whole. The text as written is merged, not what was
 * made of it, so that a stack is checked by one schema whether or not a profile is involved.
 */
export function applyProfiles<File extends Unapplied>(file: File, context: z.core.$RefinementCtx): File & Applied {
  const profiles = new Map(Object.entries(file.profiles ?? {}));
  for (const [name, members] of profiles) check(profileSchema, members, () => ["profiles", name], context);
  const used = new Set<string>();
  const stacks = Object.entries(file.stacks ?? {}).flatMap(([name, { extends: names, ...own }]) => {
    const inherited = wantedProfiles(names, ["stacks", name, "extends"], profiles, context);
    for (const profile of inherited) used.add(profile);
    const merged = [...inherited.map((profile) => profiles.get(profile)), own].reduce<Members>(lay, {});
    const at = placeOf(name, own, inherited, profiles);
    const stack = check(stackSchema, merged, at, context);
    return stack === undefined ? [] : [[name, stack] as const];
  });
  const unusedProfiles = [...profiles.keys()].filter((name) => !used.has(name));
  return { ...file, stacks: Object.fromEntries(stacks), unusedProfiles };
}

function lay(below: Members, above: Members | undefined): Members {
  return { ...below, ...above };
}

function wantedProfiles(
  names: unknown,
  path: Path,
  profiles: ReadonlyMap<string, Members>,
  context: z.core.$RefinementCtx,
): string[] {
  if (names === undefined) return [];
  const wanted = [check(extendsMember, names, () => path, context) ?? []].flat();
  const known = wanted.filter((name) => profiles.has(name));
  if (known.length < wanted.length) {
    const list = profiles.size === 0 ? "there are none" : `there are ${[...profiles.keys()].join(", ")}`;
    context.addIssue({ code: "custom", path: [...path], message: `names a profile that is not in the file (${list})` });
  }
  return known;
}

/** Where the member that an issue is about is written: in the stack, else in the profile that it comes from. */
function placeOf(
  name: string,
  own: Members,
  inherited: readonly string[],
  profiles: ReadonlyMap<string, Members>,
): (member: PropertyKey | undefined) => Path {
  return (member) => {
    const holds = (members: Members | undefined): boolean =>
      members !== undefined && member !== undefined && Object.hasOwn(members, member);
    const profile = holds(own) ? undefined : inherited.findLast((each) => holds(profiles.get(each)));
    return profile === undefined ? ["stacks", name] : ["profiles", profile];
  };
}

function check<T>(
  schema: z.ZodType<T>,
  value: unknown,
  at: (member: PropertyKey | undefined) => Path,
  context: z.core.$RefinementCtx,
): T | undefined {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    context.issues.push({ ...issue, input: undefined, path: [...at(issue.path[0]), ...issue.path] });
  }
  return undefined;
}
