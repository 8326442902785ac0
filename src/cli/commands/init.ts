import { realpath, stat } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { isMap, parseDocument } from "yaml";
import { messageWithHint, rewordError, StackferryError } from "../../core/errors.ts";
import { printableText } from "../../core/text/printable.ts";
import { writeAtomically, writeNewFile } from "../../files/atomic-write.ts";
import { fileError, systemErrorCode } from "../../files/errors.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import { doctorText } from "./doctor.ts";
import { canAsk, type Session } from "../program/session.ts";
import { parseConfig } from "../../config/load-config.ts";
import { resolveStackSettings } from "../../config/stacks/stacks.ts";
import { secretsOfAccess } from "../../library/options/credential-guard.ts";
import { examineStack, type Examination } from "../doctor/examine.ts";
import type { Arguments, Flags } from "../program/flags.ts";
import { parseStackUrl } from "../../config/stacks/stack-address.ts";
import type { Variant } from "../../core/records/record.ts";
import { STACK_NAME_PATTERN } from "../../config/schema.ts";
import { defineCommand } from "../program/define-command.ts";
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
  url: {
    describe: "http://HOST:8000, or https://HOST/v1/organizations/ORG/services/SVC",
  },
  "api-key-from": { describe: `Key of a self-hosted stack: ${PLACE}` },
  "key-id-from": { describe: `Id of a managed stack's key: ${PLACE}` },
  "key-secret-from": { describe: `Secret of a managed stack's key: ${PLACE}` },
} as const satisfies Flags;

interface NewStack {
  readonly name: string;
  /** A member for a key is `${env:NAME}` or `${file:PATH}`, never the key itself. */
  readonly members: Readonly<Record<string, string | boolean>>;
}

/** If the examination finds an error, no file changes. */
export const command = defineCommand({
  positionals: {},
  flags,
  examples: [
    ["init", "asks, tries the stack, and writes stackferry.yaml, or adds the stack to it"],
    ["init --url http://localhost:8000 --api-key-from env:STACKFERRY_API_KEY", "no questions"],
    ["init --name cloud", "asks, and adds a second stack"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  run: async (flagValues, session) => {
    const { allowHttp, ca: caFile, config } = session.globals;
    const path = resolve(session.io.cwd, flagValues.out ?? config ?? "stackferry.yaml");
    const before = await configAt(path);
    const { name, members } = await askForStack(flagValues, path, session);
    const settings = {
      ...(caFile !== undefined && { caFile: resolve(session.io.cwd, caFile) }),
      ...(allowHttp !== undefined && { allowHttp }),
    };
    const stack = { name, members: { ...members, ...settings } };
    const text = addStackToConfig(before ?? HEADER, stack, path);
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

async function tryStack(name: string, text: string, path: string, session: Session): Promise<Examination> {
  const settings = await resolveStackSettings(name, "any", stackSourcesOf(await parseConfig(text, path), session));
  session.outputScrubber.add(...secretsOfAccess(settings));
  session.events({ type: "phase", phase: `asking ${name}` });
  return examineStack(settings, session);
}

const HEADER = `# Stacks by name: stackferry export --from NAME. Keys stay in variables and files, so this file can be kept in git.
# stackferry config schema prints all that may stand here.
`;

/** Existing members keep their order, and most of their comments. */
function addStackToConfig(text: string, { name, members }: NewStack, path: string): string {
  const document = parseDocument(text);
  if (document.hasIn(["stacks", name])) {
    throw unusable(
      `${path} already has a stack ${name}; it is not overwritten`,
      "give the new stack another name with --name",
    );
  }
  const stacks = document.get("stacks");
  // Replaces an empty `{}`, in which the new stack would be written on one line.
  if (!isMap(stacks) || stacks.items.length === 0) document.set("stacks", document.createNode({}));
  document.setIn(["stacks", name], document.createNode(members));
  return document.toString({ lineWidth: 0, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" });
}

/** A file that somebody has changed since the questions is not overwritten. */
async function write(path: string, text: string, before: string | undefined): Promise<void> {
  try {
    if (before === undefined) return await writeNewFile(path, text);
    if ((await textAt(path)) === before) {
      // Writes the target of a symbolic link, so the link stays.
      const file = await realpath(path);
      return await writeAtomically(file, text, { mode: (await stat(file)).mode & MODE });
    }
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw fileError("write", path, error);
  }
  throw unusable(`${path} was changed meanwhile, so it is not overwritten`, "run init again: it adds the stack");
}

const MODE = 0o777;

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
    const hint = "name another file with --out";
    throw new StackferryError("config", `${path} exists and cannot be read`, { cause, hint });
  }
}

const KEYS = {
  "self-hosted": [{ member: "apiKey", words: "API key", flag: "--api-key-from", variable: "STACKFERRY_API_KEY" }],
  managed: [
    { member: "keyId", words: "key's id", flag: "--key-id-from", variable: "STACKFERRY_KEY_ID" },
    { member: "keySecret", words: "key's secret", flag: "--key-secret-from", variable: "STACKFERRY_KEY_SECRET" },
  ],
} as const satisfies Readonly<Record<Variant, readonly object[]>>;

/** A path in an answer becomes relative to the folder of `configPath`. */
async function askForStack(given: Arguments<typeof flags>, configPath: string, session: Session): Promise<NewStack> {
  const ask = <Answer>(question: Question<Answer>): Promise<Answer> => answerTo(question, session);
  const name = await ask({
    text: "Name of the stack",
    flag: "--name",
    given: given.name,
    otherwise: "production",
    read: readName,
  });
  const identity = await ask({
    text: "Address: http://HOST:8000, or of a managed stack https://HOST/v1/organizations/ORG/services/SVC",
    flag: "--url",
    given: given.url,
    read: (text) => parseStackUrl(text, "the address"),
  });
  const members: Record<string, string> = { ...identity };
  for (const { member, words, flag, variable } of KEYS[identity.variant]) {
    members[member] = await ask({
      text: `Where is the ${words}? The NAME of a variable that is set, or file:PATH`,
      flag,
      given: given[`${member}From`],
      otherwise: session.io.env[variable] ? variable : undefined,
      read: (text) => readPlace(text, configPath, session),
    });
  }
  return { name, members };
}

interface Question<Answer> {
  readonly text: string;
  readonly flag: string;
  readonly given: string | undefined;
  /** The default, for an empty answer and without a terminal. */
  readonly otherwise?: string | undefined;
  readonly read: (answer: string) => Answer;
}

async function answerTo<Answer>(
  { text, flag, given, otherwise, read }: Question<Answer>,
  session: Session,
): Promise<Answer> {
  if (given !== undefined) return read(given);
  if (!canAsk(session)) {
    if (otherwise !== undefined) return read(otherwise);
    throw unusable(`${flag} is missing`, "without a terminal, give everything as flags: stackferry init --help");
  }
  const problemOf = (typed: string): string | undefined => {
    try {
      read(typed);
      return undefined;
    } catch (error) {
      if (error instanceof StackferryError) return printableText(messageWithHint(error));
      throw error;
    }
  };
  return read(await session.prompts.text({ message: text, otherwise, problemOf }, session.signal));
}

function readName(text: string): string {
  if (STACK_NAME_PATTERN.test(text)) return text;
  throw unusable(
    "a stack's name may have only letters, digits, dots, hyphens and underscores",
    "for instance production",
  );
}

/** The user may type the key itself by mistake, so an error repeats only what looks like a variable's name. */
function readPlace(text: string, configPath: string, { io }: Session): string {
  const [, source = "env", place = ""] = /^(?:\$\{)?(?:(env|file):)?([^{}]*)\}?$/.exec(text) ?? [];
  if (source === "file" && place !== "") return `\${file:${relative(dirname(configPath), resolve(io.cwd, place))}}`;
  if (/^\w+$/.test(place) && io.env[place]) return `\${env:${place}}`;
  const variable = /^[A-Z][A-Z0-9_]{0,40}$/.test(place) ? `the variable ${place}` : "a variable of that name";
  throw unusable(`${variable} is not set`, "set it first, or write file:PATH; the key itself is never written here");
}

function unusable(problem: string, hint: string): StackferryError {
  return new StackferryError("usage", problem, { hint });
}
