import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A line of a journal. The tests do not use the program's own reader, because its mistakes would then stay hidden. */
export interface JournalLine {
  readonly type: string;
  readonly key?: string;
  readonly name?: string;
  readonly write?: string;
  readonly targetId?: string;
}

/** Returns the path of the import's journal in a folder, if there is one. */
export function journalPath(cwd: string): string | undefined {
  const folder = join(cwd, ".stackferry");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.find((each) => each.endsWith(".journal"));
  return name === undefined ? undefined : join(folder, name);
}

/** Returns the journal's current text, byte for byte. */
export function journalText(cwd: string): string {
  const path = journalPath(cwd);
  return path === undefined ? "" : readFileSync(path, "utf8");
}

/** Returns the complete lines of a journal. Throws if one of them is not JSON. */
export function wholeLines(text: string): JournalLine[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JournalLine);
}
