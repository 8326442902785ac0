import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A line of a journal, read here without the program's own reader, so that a mistake of the one cannot hide in both. */
export interface JournalLine {
  readonly type: string;
  readonly key?: string;
  readonly name?: string;
  readonly write?: string;
  readonly targetId?: string;
}

/** The path of the import's journal in a folder, once there is one. */
export function journalPath(cwd: string): string | undefined {
  const name = readdirSync(cwd).find((each) => each.endsWith(".journal"));
  return name === undefined ? undefined : join(cwd, name);
}

/** The journal at this moment, byte for byte. */
export function journalText(cwd: string): string {
  const path = journalPath(cwd);
  return path === undefined ? "" : readFileSync(path, "utf8");
}

/** The whole lines of a journal. Throws when one of them is not JSON. */
export function wholeLines(text: string): JournalLine[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JournalLine);
}
