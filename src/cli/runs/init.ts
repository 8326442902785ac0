import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { parseConfig } from "../../config/load-config.ts";
import type { NewStack } from "../../config/new-config.ts";
import { resolveStack } from "../../config/stacks/stacks.ts";
import { StackferryError } from "../../core/errors.ts";
import { printable } from "../../core/text/printable.ts";
import { writeNewFile } from "../../files/atomic-write.ts";
import { fileError, systemCode } from "../../files/errors.ts";
import { secretsOf } from "../../library/options/connect.ts";
import { examineStack } from "../doctor/examine-stack.ts";
import type { Examination } from "../output/doctor.ts";
import { doctorText } from "../output/doctor.ts";
import type { CommandResult } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import type { GivenStack } from "../prompts/stack-questions.ts";
import { askForStack } from "../prompts/stack-questions.ts";
import { reported } from "../wiring/stack.ts";

/** Asks for a stack, tries it, and writes the configuration file. A stack that does not answer leaves no file behind. */
export async function runInit(given: GivenStack, out: string, session: Session): Promise<CommandResult> {
  const path = resolve(session.io.cwd, out);
  if (await exists(path)) throw alreadyThere(path);
  const { allowHttp, caFile } = session.globals;
  const stack: NewStack = {
    ...(await askForStack(given, path, session)),
    ...(caFile !== undefined && { caFile: resolve(session.io.cwd, caFile) }),
    ...(allowHttp !== undefined && { allowHttp }),
  };
  const { formatNewConfig } = await import("../../config/new-config.ts");
  const text = formatNewConfig(stack);
  const examination = await tryStack(stack.name, text, path, session);
  if (examination.error !== undefined) {
    const { code, message } = examination.error;
    const hint = examination.error.hint === undefined ? "" : `${examination.error.hint}; `;
    const problem = `${stack.name} was tried, and ${path} is not written: ${message}`;
    throw new StackferryError(code, problem, {
      cause: examination.error,
      hint: `${hint}correct it and run init again`,
    });
  }
  await write(path, text);
  return {
    exitCode: 0,
    text: (display) =>
      `${doctorText(examination, display)}\n${printable(`wrote ${path}`)}\nnext: stackferry export --from ${stack.name}\n`,
    extra: { config: path, stack: reported(examination.settings) },
  };
}

/** Reads the text as the next run will, and asks the stack. */
async function tryStack(name: string, text: string, path: string, session: Session): Promise<Examination> {
  const { io, globals, secretFilter } = session;
  const config = await parseConfig(text, path);
  const flags = { ...globals.pacing, caFile: globals.caFile, allowHttp: globals.allowHttp };
  const sources = { config, env: io.env, flags, cwd: io.cwd };
  const settings = await resolveStack(name, "any", sources);
  secretFilter.add(...secretsOf(settings.credential));
  session.events({ type: "phase", phase: `asking ${name}` });
  return examineStack(settings, session);
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeNewFile(path, text);
  } catch (error) {
    throw systemCode(error) === "EEXIST" ? alreadyThere(path) : fileError("write", path, error);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function alreadyThere(path: string): StackferryError {
  return new StackferryError("usage", `${path} exists already and is not overwritten`, {
    hint: "add the stack to it by hand (stackferry config check looks at the result), or name another file with --out",
  });
}
