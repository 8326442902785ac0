import { realpath, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { NewStack } from "../../config/new-config.ts";
import { StackferryError, rewordError } from "../../core/errors.ts";
import { printableText } from "../../core/text/printable.ts";
import { writeAtomically, writeNewFile } from "../../files/atomic-write.ts";
import { fileError, systemErrorCode } from "../../files/errors.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import type { Examination } from "../output/doctor.ts";
import { defineCommand } from "../program/command.ts";
import type { Arguments, Flags } from "../program/flag.ts";
import type { Session } from "../program/session.ts";

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
  name: "init",
  group: "Start",
  describe: "Ask for a stack and where its key is, try them, and write stackferry.yaml",
  positionals: {},
  flags,
  examples: [
    ["init", "asks, tries the stack, and writes stackferry.yaml, or adds the stack to it"],
    ["init --variant self-hosted --url http://localhost:8000 --api-key-from env:STACKFERRY_API_KEY", "no questions"],
    ["init --add --name cloud", "adds a second stack, and refuses to begin a new file"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  handler: (flagValues) => async (session) => {
    const { formatNewConfig, addStackToConfig } = await import("../../config/new-config.ts");
    const { doctorText } = await import("../output/doctor.ts");
    const { askForStack } = await import("../prompts/stack-questions.ts");
    const { toReportedStack } = await import("../wiring/stack.ts");
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
    await warnOfSameStack(stack.name, examination, text, path, session);
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
  const { parseConfig } = await import("../../config/load-config.ts");
  const { resolveStackSettings } = await import("../../config/stacks/stacks.ts");
  const { secretsOfAccess } = await import("../../library/options/credential-guard.ts");
  const { examineStack } = await import("../doctor/examine.ts");
  const { stackSourcesOf } = await import("../wiring/config.ts");
  const settings = await resolveStackSettings(name, "any", stackSourcesOf(await parseConfig(text, path), session));
  session.outputScrubber.add(...secretsOfAccess(settings));
  session.events({ type: "phase", phase: `asking ${name}` });
  return examineStack(settings, session);
}

/** Warns if the configuration has the same stack under another name. */
async function warnOfSameStack(
  name: string,
  { settings }: Examination,
  text: string,
  path: string,
  session: Session,
): Promise<void> {
  const { parseConfig } = await import("../../config/load-config.ts");
  const { configuredNamesOf } = await import("../../config/stacks/stacks.ts");
  const { stackSourcesOf } = await import("../wiring/config.ts");
  const { sameStackWarning } = await import("../wiring/stack.ts");
  const sources = stackSourcesOf(await parseConfig(text, path), session);
  const other = (await configuredNamesOf(settings.identity, sources)).find((each) => each !== name);
  if (other !== undefined) session.events({ type: "warning", warning: sameStackWarning(path, name, other) });
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
  const { parseConfig } = await import("../../config/load-config.ts");
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
