import { pluralize } from "../../core/text/format.ts";
import { printable } from "../../core/text/printable.ts";
import type { FoundRecords } from "../../history/find-records.ts";
import { nounOf } from "../../kinds/names.ts";
import type { Cell } from "./terminal/table.ts";
import { renderTable } from "./terminal/table.ts";
import type { OutputOptions } from "./terminal/theme.ts";

/** Renders which backups have the records that were searched for. */
export function foundText(found: readonly FoundRecords[], display: OutputOptions): string {
  const rows = found.flatMap(({ stack, records, searched, newest }) =>
    records.map(({ kind, id, name, archives }): Cell[] => {
      const isGone = archives.at(-1) !== newest;
      return [
        stack,
        `${nounOf(kind)} ${name === "" ? id : `"${name}"`}`,
        id,
        fileOf(archives[0]),
        fileOf(archives.at(-1)),
        `${archives.length} of ${searched}`,
        isGone ? { text: "not in the newest backup", paint: display.theme.bad } : "",
      ];
    }),
  );
  const columns = [
    { title: "STACK" },
    { title: "RECORD" },
    { title: "ID" },
    { title: "FIRST" },
    { title: "LAST" },
    { title: "BACKUPS", align: "right" as const },
    { title: "" },
  ];
  const unread = found.flatMap((stack) => stack.unread);
  const note =
    unread.length === 0
      ? ""
      : `Not searched, because they are damaged, encrypted or refused: ${unread.slice(0, MAX_UNREAD).join(", ")}`;
  const more = unread.length > MAX_UNREAD ? ` and ${pluralize(unread.length - MAX_UNREAD, "other")}` : "";
  return `${renderTable({ columns, rows }, display)}${note === "" ? "" : printable(`${note}${more}.`) + "\n"}`;
}

const MAX_UNREAD = 5;

/** The time in the name of an archive, as `restore REPO/STACK@TIME` takes it. */
function fileOf(archive = ""): string {
  return /(\d{8}T\d{6}Z)/.exec(archive)?.[1] ?? archive;
}
