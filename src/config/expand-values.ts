import { dirname, resolve } from "node:path";
import { StackferryError } from "../core/errors.ts";
import { systemErrorCode } from "../files/errors.ts";
import { NotAFileError, readRegularFile } from "../files/regular-file.ts";
import { ENCODING_HINT, encodingFlaw, withoutLineEnd } from "../core/text/encoding.ts";

export interface ValueSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly configPath: string;
}

const SLOT = /\$\{(env|file):([^}]+)\}/g;

export function holdsValueReference(text: string): boolean {
  return text.includes("${");
}

export function isValueReference(text: string): boolean {
  return /^\$\{(env|file):[^}]+\}$/.test(text);
}

/** A `${…}` inside a filled-in value stays as written. */
async function expandText(text: string, where: string, sources: ValueSources): Promise<string> {
  refuseOtherSlots(text, where, sources);
  let expanded = "";
  let from = 0;
  for (const match of text.matchAll(SLOT)) {
    const [slot, source = "", name = ""] = match;
    const value = source === "env" ? fromEnvironment(name, where, sources) : await fromFile(name, where, sources);
    expanded += text.slice(from, match.index) + value;
    from = match.index + slot.length;
  }
  return expanded + text.slice(from);
}

/** @throws StackferryError `config` */
export function expandValues<Value>(value: Value, where: string, sources: ValueSources): Promise<Value>;
export async function expandValues(value: unknown, where: string, sources: ValueSources): Promise<unknown> {
  if (typeof value === "string") return expandText(value, where, sources);
  if (typeof value !== "object" || value === null) return value;
  const members: [string, unknown][] = [];
  for (const [member, content] of Object.entries(value))
    members.push([member, await expandValues(content, where === "" ? member : `${where}.${member}`, sources)]);
  return Array.isArray(value) ? members.map(([, content]) => content) : Object.fromEntries(members);
}

/** Refuses `${NAME}` of other programs, because it would end up in an address, a path or a secret. */
function refuseOtherSlots(text: string, where: string, { configPath }: ValueSources): void {
  if (!text.replaceAll(SLOT, "").includes("${")) return;
  throw new StackferryError("config", `${configPath}: ${where} holds a \${…} that is not filled in`, {
    hint: "write ${env:NAME} or ${file:PATH}; a secret that itself has ${ in it goes into a file or a variable",
  });
}

function fromEnvironment(name: string, where: string, sources: ValueSources): string {
  const value = withoutLineEnd(sources.env[name] ?? "");
  if (value !== "") return value;
  throw new StackferryError("config", `${sources.configPath}: ${where} needs the environment variable ${name}`, {
    hint: `set ${name} and run the command again`,
  });
}

async function fromFile(name: string, where: string, sources: ValueSources): Promise<string> {
  const path = resolve(dirname(sources.configPath), name);
  const problem = `${sources.configPath}: ${where} needs the file ${path}, which cannot be read`;
  const text = await readTextFile(
    path,
    problem,
    "create the file, or correct the path (it is relative to the configuration file)",
  );
  const flaw = encodingFlaw(text);
  if (flaw !== undefined) {
    throw new StackferryError("config", `${sources.configPath}: ${where} needs the file ${path}, which ${flaw}`, {
      hint: ENCODING_HINT,
    });
  }
  const value = withoutLineEnd(text);
  if (value !== "") return value;
  throw new StackferryError("config", `${sources.configPath}: ${where} needs the file ${path}, which is empty`);
}

export async function readTextFile(path: string, problem: string, hint: string): Promise<string> {
  try {
    return await readRegularFile(path);
  } catch (cause) {
    const missing = systemErrorCode(cause) === "ENOENT" ? ": there is no such file" : "";
    const why = cause instanceof NotAFileError ? `: ${cause.message}` : missing;
    throw new StackferryError("config", `${problem}${why}`, { cause, hint });
  }
}
