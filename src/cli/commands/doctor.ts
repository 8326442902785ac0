import { StackferryError } from "../../core/errors.ts";
import { contextForStack } from "../../core/events.ts";
import {
  doctorDetails,
  doctorText,
  repositoryText,
  unexaminedText,
  type Examination,
  type ExaminedRepository,
  type UnexaminedStack,
} from "../output/doctor.ts";
import { exitCodeOfError } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { stacksArgument } from "../program/flags.ts";
import { examineRepository, examineStack } from "../doctor/examine.ts";
import { defineCommand } from "../program/commands.ts";
import { loadSessionConfig } from "../inputs/config.ts";
import { resolveStack } from "../inputs/stack.ts";

/**
 * Examines each stack and repository in turn, even if the settings of another one are wrong. The exit code is that of the first
 * stack or repository with a problem.
 */
export const doctorCommand = defineCommand({
  positionals: {
    name: {
      ...stacksArgument,
      describe:
        "STACK or REPO to test, by name or address (default: all); a configured STACK also tests every repository",
    },
  },
  flags: {
    data: {
      type: "boolean",
      describe: "Also ask each source of a self-hosted stack for data of the last 24 hours; exit 3 if one has none",
    },
  },
  examples: [
    ["doctor", "every stack and repository that is configured"],
    ["doctor production", "a stack, and every repository that is configured"],
    ["doctor production offsite", "a stack and one repository"],
    ["doctor production --data", "a line for each source: whether it has data"],
    ["doctor http://localhost:8000", "the key comes from STACKFERRY_API_KEY"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  run: async ({ name: references, data: asksForData }, session) => {
    const targets = await namesOf(references, session);
    const isAlone = targets.stacks.length + targets.repositories.length === 1;
    const stacks: (Examination | UnexaminedStack)[] = [];
    for (const name of targets.stacks) {
      const examination = examineNamed(name, { isOneOfSeveral: targets.stacks.length > 1, asksForData }, session);
      stacks.push(await (isAlone ? examination : examination.catch((error: unknown) => unexamined(name, error))));
    }
    const repositories: ExaminedRepository[] = [];
    for (const name of targets.repositories) repositories.push(await examineRepository(name, session));
    const sick = [...stacks, ...repositories].find(({ error }) => error !== undefined);
    return {
      exitCode: sick !== undefined ? exitCodeOfError(sick.error) : stacks.some(lacksData) ? 3 : 0,
      text: (display) =>
        [
          ...stacks.map((stack) => ("kinds" in stack ? doctorText(stack, display) : unexaminedText(stack, display))),
          ...repositories.map((repository) => repositoryText(repository, display)),
        ].join("\n"),
      details: doctorDetails(stacks, repositories),
    };
  },
});

/** Tells whether a source of the stack has no data, or cannot be queried. */
function lacksData(stack: Examination | UnexaminedStack): boolean {
  return "data" in stack && stack.data?.some(({ status }) => status === "empty" || status === "failed") === true;
}

/** Examines a stack. If it is one of several, events name it. */
async function examineNamed(
  name: string,
  { isOneOfSeveral, asksForData }: { readonly isOneOfSeveral: boolean; readonly asksForData: boolean },
  session: Session,
): Promise<Examination> {
  const settings = await resolveStack(name, "any", session);
  const stackSession = isOneOfSeveral ? contextForStack(session, settings.stackName) : session;
  stackSession.events({ type: "phase", phase: `asking ${settings.stackName}` });
  const examination = await examineStack(settings, stackSession, asksForData);
  if (isOneOfSeveral) stackSession.events({ type: "phase", phase: "asked" });
  return examination;
}

/** Any other error, such as an interruption, ends the run. */
function unexamined(name: string, error: unknown): UnexaminedStack {
  if (error instanceof StackferryError && error.code === "config") return { name, error };
  throw error;
}

/** Returns the stacks and repositories to examine. A stack and a repository can have the same name. */
async function namesOf(references: readonly string[], session: Session) {
  const config = await loadSessionConfig(session);
  const configured = { stacks: [...config.stacks.keys()], repositories: [...config.repositories.keys()] };
  if (references.length > 0) {
    const isRepository = (name: string): boolean =>
      configured.repositories.includes(name) || /^(?:s3:\/\/|\.{0,2}\/)/.test(name);
    const stacks = references.filter((name) => configured.stacks.includes(name) || !isRepository(name));
    const repositories = references.filter(isRepository);
    // A configured stack is backed up to some configured repository. The configuration does not say to which one, so all
    // repositories are examined.
    const backedUp = repositories.length === 0 && stacks.some((name) => configured.stacks.includes(name));
    return { stacks, repositories: backedUp ? configured.repositories : repositories };
  }
  if (configured.stacks.length + configured.repositories.length > 0) return configured;
  throw new StackferryError("usage", "you named no stack, and the configuration has none", {
    hint: "give an address, or run stackferry init to write a stackferry.yaml",
  });
}
