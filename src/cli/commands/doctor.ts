import { loadSessionConfig, stackSourcesOf } from "../wiring/config.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { isStackUrl, parseStackUrl } from "../../config/stacks/stack-address.ts";
import { configuredNamesOf } from "../../config/stacks/stacks.ts";
import { StackferryError } from "../../core/errors.ts";
import { contextForStack } from "../../core/events.ts";
import { examineRepository, examineStack } from "../doctor/examine.ts";
import {
  doctorText,
  repositoryText,
  unexaminedText,
  type Examination,
  type ExaminedRepository,
  type UnexaminedStack,
} from "../output/doctor.ts";
import { exitCodeOfError } from "../program/exit-codes.ts";
import { errorMembers } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { resolveStack, toReportedStack } from "../wiring/stack.ts";

/**
 * Examines each stack and repository in turn, even if the settings of another one are wrong. The exit code is that of the first
 * stack or repository with a problem.
 */
export const doctorCommand = defineCommand("doctor", {
  prepare: (args) => args,
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
      details: { stacks: stacks.map(examinationJson), repositories: repositories.map(describedRepository) },
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
  const settings = await settingsOf(name, session);
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

/** Resolves a stack. If the environment has no key for an address, the stack that is configured with this address is used. */
async function settingsOf(reference: string, session: Session): Promise<StackSettings> {
  try {
    return await resolveStack(reference, "any", session);
  } catch (error) {
    if (!isStackUrl(reference)) throw error;
    const sources = stackSourcesOf(await loadSessionConfig(session), session);
    const [name] = await configuredNamesOf(parseStackUrl(reference, "STACK"), sources);
    if (name === undefined) throw error;
    return await resolveStack(name, "any", session);
  }
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

function examinationJson(stack: Examination | UnexaminedStack): Readonly<Record<string, unknown>> {
  if (!("kinds" in stack)) {
    return { label: stack.name, reachable: false, accepted: false, kinds: [], error: errorMembers(stack.error) };
  }
  const { settings, kinds, requests, limit, data, error } = stack;
  const code = error?.code;
  const listed = kinds.some(({ status }) => status === "listed" || status === "not-offered") || kinds.length === 0;
  // Only a listed kind proves that the credential is accepted: other answers may come from a server without this API.
  const proven = kinds.some(({ status }) => status === "listed");
  const reachable = code === undefined || code === "unauthorized" || code === "forbidden" || listed;
  return {
    ...toReportedStack(settings),
    access: accessJson(settings),
    reachable,
    accepted: proven && code !== "unauthorized",
    kinds,
    requests,
    limit,
    data,
    error: error && errorMembers(error),
  };
}

/** Tells which settings for a gateway a stack uses, without their values. */
function accessJson({ headers = [], clientCertificate, ca }: StackSettings): Readonly<Record<string, unknown>> {
  return {
    headers: headers.map(({ name }) => name),
    clientCertificate: clientCertificate !== undefined,
    clientKeyPassphrase: clientCertificate?.passphrase !== undefined,
    ca: ca !== undefined,
  };
}

function describedRepository({ name, address, error }: ExaminedRepository): Readonly<Record<string, unknown>> {
  return { name, address, ok: error === undefined, error: error && errorMembers(error) };
}
