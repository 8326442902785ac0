import { stackSourcesOf } from "../wiring/config.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import { realpath, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { parseConfig } from "../../config/load-config.ts";
import type { NewStack } from "../../config/new-config.ts";
import { configuredNamesOf, resolveStackSettings } from "../../config/stacks/stacks.ts";
import { StackferryError, rewordError } from "../../core/errors.ts";
import { printableText } from "../../core/text/printable.ts";
import { writeAtomically, writeNewFile } from "../../files/atomic-write.ts";
import { fileError, systemErrorCode } from "../../files/errors.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import { secretsOfAccess } from "../../library/options/credential-guard.ts";
import { examineStack } from "../doctor/examine.ts";
import { doctorText, type Examination } from "../output/doctor.ts";
import type { Session } from "../program/session.ts";
import { askForStack } from "../prompts/stack-questions.ts";
import { sameStackWarning, toReportedStack } from "../wiring/stack.ts";

/** Asks for a stack, tries it, and writes or extends the configuration file. If the stack does not answer, no file changes. */
export const initCommand = defineCommand("init", {
  prepare: (args) => args,
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
    const { formatNewConfig, addStackToConfig } = await import("../../config/new-config.ts");
    const text = before === undefined ? formatNewConfig(stack) : addStackToConfig(before, stack, path);
    const examination = await tryStack(stack.name, text, path, session);
    if (examination.error !== undefined) {
      const { message, hint } = examination.error;
      const advice = hint === undefined ? "" : `${hint.replace(/\.$/, "")}; `;
      const problem = `${stack.name} failed the test, so ${path} is not written: ${message}`;
      throw rewordError(examination.error, problem, `${advice}correct it and run init again`);
    }
    await write(path, text, before);
    const sources = stackSourcesOf(await parseConfig(text, path), session);
    const names = await configuredNamesOf(examination.settings.identity, sources);
    const other = names.find((name) => name !== stack.name);
    if (other !== undefined) session.events({ type: "warning", warning: sameStackWarning(path, stack.name, other) });
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
