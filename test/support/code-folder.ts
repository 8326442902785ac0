import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openCode, type CodeTarget } from "../../src/archive/as-code/read/open-code.ts";
import { type CodeFile, problemText } from "../../src/archive/as-code/read/code-file.ts";
import { readCodeFiles } from "../../src/archive/as-code/read/read-files.ts";
import { StackferryError } from "../../src/core/errors.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { records } from "./stack-records.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The texts of files, by their paths in a folder. */
export type Texts = Readonly<Record<string, string | Uint8Array>>;

/** Makes a folder that has only these files. */
export async function codeFolder(texts: Texts): Promise<string> {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** The result of reading a folder that is called `in`. */
export interface ReadFolder {
  readonly files: readonly CodeFile[];
  /** The problems as they are printed: `in/dashboards/a.yaml:1:2: message`. */
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

/** Writes these files into a folder and reads it. @param within the path of the folder inside it that is read */
export async function readTexts(texts: Texts, within = ""): Promise<ReadFolder> {
  const root = join(await codeFolder(texts), within);
  const { files, problems } = await readCodeFiles("in", root);
  const notes = files.flatMap((file) => file.notes ?? []);
  return { files, problems: problems.map(problemText), notes: notes.map(problemText) };
}

/** Makes a stack that has these records and offers no other kinds. */
export function targetWith(byKind: Readonly<Record<string, readonly JsonObject[]>> = {}): CodeTarget {
  const entries = kinds.map(({ name }) => {
    const bodies = byKind[name];
    const status = bodies === undefined ? "not-offered" : "complete";
    return [name, { status, records: records({ [name]: bodies ?? [] }) }] as const;
  });
  return { stack: { variant: "self-hosted", baseUrl: "http://memory.test" }, kinds: new Map(entries) };
}

/** Opens these files as a folder that is called `in`, for a stack with these records. */
export async function openTexts(texts: Texts, byKind: Parameters<typeof targetWith>[0] = {}) {
  const root = await codeFolder(texts);
  const opened = await openCode("in", root, () => Promise.resolve(targetWith(byKind)));
  const bodies = new Map<string, JsonObject>();
  for (const entry of opened.reader.manifest.entries) {
    const { kind, name, body } = await opened.reader.read(entry);
    bodies.set(`${kind}/${name}`, body);
  }
  return { ...opened, bodies };
}

/** Returns the mistakes in these files, whether some or all of the files have mistakes. */
export async function mistakesIn(...given: Parameters<typeof openTexts>): Promise<readonly string[]> {
  const opened = await openTexts(...given).catch((thrown: unknown) => ({ error: thrown }));
  if (!("error" in opened)) {
    return opened.leftOut.flatMap(({ code, message }) => (code === "bad-file" ? [message] : []));
  }
  const { error } = opened;
  if (!(error instanceof StackferryError) || error.code !== "config") throw error;
  return error.faults.length > 0 ? error.faults : [error.message];
}

/** Returns a dashboard as the web interface exports it: JSON with one line per member, so that a line number identifies a member. */
export function exportedBoard(tiles: readonly JsonObject[], more: JsonObject = {}): string {
  return JSON.stringify({ version: "0.1.0", name: "Board", ...more, tiles }, undefined, 1);
}
