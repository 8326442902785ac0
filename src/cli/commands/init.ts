import { realpath, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { addStackToConfig, formatNewConfig, type NewStack } from "../../config/new-config.ts";
import { messageWithHint, rewordError, StackferryError } from "../../core/errors.ts";
import { printableText } from "../../core/text/printable.ts";
import { writeAtomically, writeNewFile } from "../../files/atomic-write.ts";
import { fileError, systemErrorCode } from "../../files/errors.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import { doctorText, type Examination } from "../output/doctor.ts";
import type { Session } from "../program/session.ts";
import { parseConfig } from "../../config/load-config.ts";
import { resolveStackSettings } from "../../config/stacks/stacks.ts";
import { secretsOfAccess } from "../../library/options/credential-guard.ts";
import { examineStack } from "../doctor/examine.ts";
import type { Arguments, Flags } from "../program/flags.ts";
import { parseStackUrl } from "../../config/stacks/stack-address.ts";
import type { StackIdentity, Variant } from "../../core/records/record.ts";
import { canAsk } from "../prompts/confirm.ts";
import type { Choice } from "../prompts/prompts.ts";
import { STACK_NAME_PATTERN } from "../../config/schema.ts";
import { defineCommand } from "../program/commands.ts";
import { stackSourcesOf } from "../inputs/config.ts";
import { toReportedStack } from "../inputs/stack.ts";

const PLACE = "env:NAME or file:PATH, never the value itself";

const flags = {
  out: {
    writes: true,
    describe:
      "File to write (default: the file of --config, or stackferry.yaml); an existing configuration gets one more stack",
  },
  name: { describe: "Name of the stack (default: production)" },
  variant: { choices: ["managed", "self-hosted"], describe: "Which variant of the API" },
  url: {
    describe: "http://HOST:8000, or https://HOST/v1/organizations/ORG/services/SVC",
  },
  add: { type: "boolean", describe: "Add the stack to the configuration that is there; write no new one" },
  "organization-id": { describe: "Organisation of a managed stack, if it is not in the address" },
  "service-id": { describe: "Service of a managed stack, if it is not in the address" },
  "api-key-from": { describe: `Key of a self-hosted stack: ${PLACE}` },
  "key-id-from": { describe: `Id of a managed stack's key: ${PLACE}` },
  "key-secret-from": { describe: `Secret of a managed stack's key: ${PLACE}` },
} as const satisfies Flags;

/** The flags of `init`, which describe the stack. */
export type StackFlags = Arguments<typeof flags>;

/** Asks for a stack, tries it, and writes or extends the configuration file. If the stack does not answer, no file changes. */
export const initCommand = defineCommand({
  positionals: {},
  flags,
  examples: [
    ["init", "asks, tries the stack, and writes stackferry.yaml, or adds the stack to it"],
    ["init --variant self-hosted --url http://localhost:8000 --api-key-from env:STACKFERRY_API_KEY", "no questions"],
    ["init --add --name cloud", "adds a second stack, and refuses to begin a new file"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  run: async (flagValues, session) => {
    const { allowHttp, ca: caFile, config } = session.globals;
    const path = resolve(session.io.cwd, flagValues.out ?? config ?? "stackferry.yaml");
    const before = await configAt(path);
    if (flagValues.add && before === undefined) {
      throw new StackferryError("usage", `there is no ${path} to add a stack to`, {
        hint: "run this in the folder of your configuration, name the file with --out, or leave --add out to write a new file",
      });
    }
    const stack: NewStack = {
      ...(await askForStack(flagValues, path, session)),
      ...(caFile !== undefined && { caFile: resolve(session.io.cwd, caFile) }),
      ...(allowHttp !== undefined && { allowHttp }),
    };
    const text = before === undefined ? formatNewConfig(stack) : addStackToConfig(before, stack, path);
    const examination = await tryStack(stack.name, text, path, session);
    if (examination.error !== undefined) {
      const { message, hint } = examination.error;
      const advice = hint === undefined ? "" : `${hint.replace(/\.$/, "")}; `;
      const problem = `${stack.name} failed the test, so ${path} is not written: ${message}`;
      throw rewordError(examination.error, problem, `${advice}correct it and run init again`);
    }
    await write(path, text, before);
    return {
      exitCode: 0,
      text: (display) =>
        `${doctorText(examination, display)}\n${printableText(`wrote ${path}`)}\nnext: stackferry backup ${stack.name} --to FOLDER\n`,
      details: { config: path, stack: toReportedStack(examination.settings) },
    };
  },
});

/** Parses the new configuration as the next run will, and examines the stack. */
async function tryStack(name: string, text: string, path: string, session: Session): Promise<Examination> {
  const settings = await resolveStackSettings(name, "any", stackSourcesOf(await parseConfig(text, path), session));
  session.outputScrubber.add(...secretsOfAccess(settings));
  session.events({ type: "phase", phase: `asking ${name}` });
  return examineStack(settings, session);
}

/** Somebody may have edited the file during the questions, or another init may write it now. Their text is not overwritten. */
async function write(path: string, text: string, before: string | undefined): Promise<void> {
  try {
    // A link stays a link: the file that it leads to is written.
    const file = before === undefined ? path : await realpath(path);
    const options = before === undefined ? {} : { mode: (await stat(file)).mode & MODE };
    const claim = `${file}.claim`;
    await writeNewFile(claim, "").catch((error: unknown) => {
      throw systemErrorCode(error) === "EEXIST" ? claimedError(path, claim) : error;
    });
    try {
      if ((await textAt(file)) !== before) throw changedMeanwhileError(path);
      await writeAtomically(file, text, options);
    } finally {
      await rm(claim, { force: true });
    }
  } catch (error) {
    throw fileError("write", path, error);
  }
}

const MODE = 0o777;

/** Returns the text of an existing configuration file. @throws StackferryError `config` for anything but a regular file */
async function configAt(path: string): Promise<string | undefined> {
  const text = await textAt(path);
  if (text !== undefined) await parseConfig(text, path);
  return text;
}

async function textAt(path: string): Promise<string | undefined> {
  try {
    return await readRegularFile(path);
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") return undefined;
    throw new StackferryError("config", `${path} exists and cannot be read`, {
      cause,
      hint: "name another file with --out",
    });
  }
}

function claimedError(path: string, claim: string): StackferryError {
  return new StackferryError("config", `another run of init is writing ${path}`, {
    hint: `run this again; if no other run is at work, delete ${claim}`,
  });
}

function changedMeanwhileError(path: string): StackferryError {
  return new StackferryError("usage", `${path} was changed meanwhile, so it is not overwritten`, {
    hint: "run init again: it adds the stack",
  });
}

/** A question and how its answer is parsed. `read` throws for an unusable answer. */
interface Question<Answer> {
  readonly text: string;
  /** The flag that gives the answer if there is no terminal. */
  readonly flag: string;
  readonly flagValue: string | undefined;
  /** The default, for an empty answer and if there is no terminal. */
  readonly otherwise?: string;
  readonly read: (answer: string) => Answer;
  /** The answers, if there are only a few. */
  readonly choices?: readonly Choice<string>[];
}

/**
 * By variant, the members of a stack that hold its credential. Each member has a default variable and a flag. The flag names the
 * place where the key is stored, never the key itself.
 */
const KEYS = {
  "self-hosted": [{ member: "apiKey", words: "API key", flag: "--api-key-from", variable: "STACKFERRY_API_KEY" }],
  managed: [
    { member: "keyId", words: "key's id", flag: "--key-id-from", variable: "STACKFERRY_KEY_ID" },
    { member: "keySecret", words: "key's secret", flag: "--key-secret-from", variable: "STACKFERRY_KEY_SECRET" },
  ],
} as const satisfies Readonly<Record<Variant, readonly object[]>>;

/** By variant: the form of a stack's address. */
const SHAPES = {
  "self-hosted": "http://HOST:8000",
  managed: "https://HOST/v1/organizations/ORG/services/SVC",
} as const;
const DEFAULT_NAME = "production";

const VARIANTS: readonly Choice<string>[] = [
  { value: "self-hosted", label: "self-hosted", hint: "your own server" },
  { value: "managed", label: "managed", hint: "the control plane of the cloud" },
];

/**
 * Asks for the facts about a stack that are not given.
 * @param configPath path of the future configuration file: paths in it are relative to its folder
 * @throws StackferryError `usage` for an unusable value, or, without a terminal, for a missing value
 */
export async function askForStack(flagValues: StackFlags, configPath: string, session: Session): Promise<NewStack> {
  const answer = <Answer>(question: Question<Answer>): Promise<Answer> => answerTo(question, session);
  const name = await answer({
    text: "Name of the stack",
    flag: "--name",
    flagValue: flagValues.name,
    otherwise: DEFAULT_NAME,
    read: readName,
  });
  const variant = await answer({
    text: "Variant of the API",
    flag: "--variant",
    flagValue: flagValues.variant ?? variantOfAddress(flagValues.url),
    choices: VARIANTS,
    read: readVariant,
  });
  const identity = await answer({
    text: `Address, as ${SHAPES[variant]}`,
    flag: "--url",
    flagValue: flagValues.url,
    read: (text) => readAddress(text, variant),
  });
  const idOf = (text: string, flag: string, flagValue: string | undefined) =>
    answer({ text, flag, flagValue, read: parseId });
  const service = variant === "managed" && {
    service: {
      organizationId: await idOf(
        "Organization id",
        "--organization-id",
        identity.organizationId ?? flagValues.organizationId,
      ),
      serviceId: await idOf("Service id", "--service-id", identity.serviceId ?? flagValues.serviceId),
    },
  };
  const keys: Record<string, string> = {};
  for (const { member, words, flag, variable } of KEYS[variant]) {
    keys[member] = await answer({
      text: `Where is the ${words}? The NAME of a variable that is set, or file:PATH`,
      flag,
      flagValue: flagValues[`${member}From`],
      otherwise: session.io.env[variable] ? variable : undefined,
      read: (text) => readPlace(text, configPath, session),
    });
  }
  return { name, variant, baseUrl: identity.baseUrl, ...service, keys };
}

async function answerTo<Answer>(
  { text, flag, flagValue, otherwise, choices, read }: Question<Answer>,
  session: Session,
): Promise<Answer> {
  if (flagValue !== undefined) return read(flagValue);
  const { prompts, signal } = session;
  if (!canAsk(session)) {
    if (otherwise !== undefined) return read(otherwise);
    throw unusable(`${flag} is missing`, "without a terminal, give everything as flags: stackferry init --help");
  }
  if (choices !== undefined) return read(await prompts.choose({ message: text, choices }, signal));
  const problemOf = (typed: string): string | undefined => {
    try {
      read(typed);
      return undefined;
    } catch (error) {
      if (error instanceof StackferryError) return printableText(messageWithHint(error));
      throw error;
    }
  };
  return read(await prompts.text({ message: text, otherwise, problemOf }, signal));
}

function readName(text: string): string {
  if (STACK_NAME_PATTERN.test(text)) return text;
  throw unusable(
    "a stack's name may have only letters, digits, dots, hyphens and underscores",
    "for instance production",
  );
}

function readVariant(text: string): Variant {
  if (text === "managed" || text === "self-hosted") return text;
  throw unusable(
    "the variant is self-hosted or managed",
    "managed: the cloud's control plane; self-hosted: your own server",
  );
}

/** Only a managed stack has such an address. Any other address may be of both variants. */
function variantOfAddress(address: string | undefined): Variant | undefined {
  if (address === undefined || parseStackUrl(address, "the address").variant !== "managed") return undefined;
  return "managed";
}

function readAddress(text: string, variant: Variant): StackIdentity {
  const identity = parseStackUrl(text, "the address");
  if (identity.variant === "self-hosted" || variant === "managed") return identity;
  throw unusable(
    "this is the address of a managed stack",
    "say --variant managed, or give the address of your own server",
  );
}

function parseId(text: string): string {
  if (/^[A-Za-z0-9._-]+$/.test(text)) return text;
  throw unusable("this is no id", "find it in the service's address in the cloud console");
}

/** Parses the place of a key. The user may type the key itself by mistake, so an error repeats only a text that cannot be a key. */
function readPlace(text: string, configPath: string, { io }: Session): string {
  const [, source = "env", place = ""] = /^(?:\$\{)?(?:(env|file):)?([^{}]*)\}?$/.exec(text) ?? [];
  if (source === "file" && place !== "") return `\${file:${fromFolder(resolve(io.cwd, place), dirname(configPath))}}`;
  if (/^\w+$/.test(place) && io.env[place]) return `\${env:${place}}`;
  const variable = /^[A-Z][A-Z0-9_]{0,40}$/.test(place) ? `the variable ${place}` : "a variable of that name";
  throw unusable(`${variable} is not set`, "set it first, or write file:PATH; the key itself is never written here");
}

function fromFolder(path: string, folder: string): string {
  const below = relative(folder, path);
  return below.startsWith("..") || isAbsolute(below) ? path : below;
}

function unusable(problem: string, hint: string): StackferryError {
  return new StackferryError("usage", problem, { hint });
}
