import { groupBy } from "../../../core/collections.ts";
import type { LeftOutRecord } from "../../../core/importing/left-out.ts";
import type { CodeEntry } from "./entries.ts";
import type { FileProblem } from "./file-problems.ts";
import { problemText } from "./file-problems.ts";

/** The records that the mistakes in their files leave out, in the order of the mistakes. */
export function leftOutRecords(
  problems: readonly FileProblem[],
  entries: readonly CodeEntry[],
  pairs: ReadonlyMap<string, { readonly id: string }>,
): readonly LeftOutRecord[] {
  const byFile = new Map(entries.map((entry) => [entry.file.path, entry]));
  return [...groupBy(problems, ({ file }) => file)].flatMap(([file, ofFile]): LeftOutRecord[] => {
    const own = ofFile.filter(({ isDependency }) => isDependency !== true);
    const code = own.length > 0 ? "bad-file" : "dependency-blocked";
    const message = (own.length > 0 ? own : ofFile).map(problemText).join("; ");
    const entry = byFile.get(file);
    const kind = entry?.kind.name ?? ofFile[0]?.unread?.kind;
    if (kind === undefined) return [];
    const [name = file] = ofFile[0]?.unread?.names ?? [];
    const there = entry && pairs.get(entry.id);
    const known = { kind, code, message, ...(there && { targetId: there.id }) } as const;
    return [{ ...known, id: entry?.id ?? file, name: entry?.label ?? name }];
  });
}
