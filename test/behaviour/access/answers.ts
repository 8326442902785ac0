import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { objectsIn, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import type { SandboxSeed } from "../../../src/sandbox/start-sandbox.ts";
import { programForOneStack } from "../../support/program.ts";
import { source, webhook } from "../../support/stack-records.ts";

// Files in the forms in which people have records. The ids of a file mean the same in all files.

const folder = new URL("../../fixtures/answers/", import.meta.url);
export const idOf = (letter: string): string => `0000000000000000000000${letter}1`;

/** Returns the seed of a stack that has the source and the webhook of the answers under these ids. */
const needed = (connection: string, logs: string, hook: string): SandboxSeed => ({
  connections: [{ id: connection, name: "Main", host: "http://db.test:8123", username: "u" }],
  sources: [source(logs, "Logs", connection)],
  webhooks: [webhook(hook, "pager")],
});
const sameIds = needed(idOf("f"), idOf("b"), idOf("c"));
export const otherIds = needed("0000000000000000000000a9", "0000000000000000000000b9", "0000000000000000000000c9");

/** Reads one of the answers. */
export async function answer(file: string): Promise<JsonObject> {
  return JSON.parse(await readFile(new URL(file, folder), "utf8"));
}

/** Puts these answers into the folder `in`, for a stack that has only the records to which they refer. */
export async function programWithAnswers(files: readonly string[], seed = sameIds) {
  const program = await programForOneStack({ variant: "self-hosted", seed });
  const put = async (file: string, path = `in/${file}`): Promise<void> => {
    await mkdir(dirname(join(program.cwd, path)), { recursive: true });
    await cp(new URL(file, folder), join(program.cwd, path));
  };
  for (const file of files) await put(file);
  return {
    ...program,
    put,
    write: async (file: string, content: unknown): Promise<void> => {
      const path = join(program.cwd, "in", file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
    },
    apply: (more = "") => program.json(`apply in --to $STACK ${more}`.trim()),
    /** Returns the exit code of a dry run that has no journal: 0 if the target has what the files say. */
    differs: async (what = "in", journals = "other") =>
      (await program.run(`apply ${what} --to $STACK --dry-run --exit-code --journals ${journals}`)).exitCode,
    boardNames: () => program.stack.stored().dashboards.map(({ name }) => name),
    /** Returns the first tile of the dashboard with this name, by default the first one. */
    tileOf: (board?: string) => {
      const stored = program.stack.stored().dashboards.find(({ name }) => board === undefined || name === board);
      return objectsIn(stored?.["tiles"] as JsonValue)[0];
    },
  };
}

/** Returns the codes of the outcomes, by the names of their records. */
export function codesOf({ outcomes }: Record<string, unknown>): Record<string, string> {
  const found = outcomes as readonly { name: string; code?: string }[];
  return Object.fromEntries(found.flatMap(({ name, code }) => (code === undefined ? [] : [[name, code]])));
}
