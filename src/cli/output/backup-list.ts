import type { JudgedArchive } from "../../backup/history/read-history.ts";
import { suspectReasonsOf } from "../../backup/history/read-history.ts";
import { shrinkageText } from "../../backup/history/suspect.ts";
import { printable } from "../../core/text/printable.ts";
import { sizeText } from "../../core/text/format.ts";
import type { Cell } from "./terminal/table.ts";
import { renderTable } from "./terminal/table.ts";
import type { OutputOptions } from "./terminal/theme.ts";

/** Renders the backups in a repository. */
export function listText(archives: readonly JudgedArchive[], repository: string, display: OutputOptions): string {
  if (archives.length === 0) return `no backups in ${printable(repository)}\n`;
  const rows = archives.map((archive): Cell[] => {
    const { stack, at, bytes, encrypted, refused, damaged } = archive;
    const reasons = suspectReasonsOf(archive).map(({ message }) => message);
    const suspect = reasons.length === 0 ? "" : `suspect: ${reasons.join("; ")}`;
    const unusable = damaged === undefined ? suspect : `damaged: ${damaged}`;
    const problem = refused === undefined ? unusable : `refused: ${refused}`;
    const accepted = archive.entry?.accepted === true ? "accepted" : "";
    const shrunk = shrinkageOf(archive);
    const alsoShrunk = problem.includes(shrunk) ? [] : [shrunk];
    const text = [problem, accepted, ...alsoShrunk].filter((part) => part !== "").join("; ");
    const remark: Cell = problem === "" ? text : { text, paint: display.theme.bad };
    return [
      stack,
      new Date(at).toISOString().replace(".000", ""),
      sizeText(bytes),
      encrypted ? "encrypted" : "",
      remark,
    ];
  });
  const columns = [
    { title: "STACK" },
    { title: "TIME (UTC)" },
    { title: "SIZE", align: "right" as const },
    { title: "" },
    { title: "" },
  ];
  return renderTable({ columns, rows }, display);
}

/** `alerts 14 → 10`: the counts that are lower than in the previous good backup. */
function shrinkageOf({ entry }: JudgedArchive): string {
  return entry?.shrunkFrom === undefined ? "" : shrinkageText(entry.shrunkFrom, entry.kinds);
}

/** Describes a stored archive for the JSON document. */
export function describeArchive(archive: JudgedArchive): Readonly<Record<string, unknown>> {
  const { name, stack, at, bytes, encrypted, refused, damaged, entry } = archive;
  return {
    stack,
    time: new Date(at).toISOString(),
    bytes,
    encrypted,
    name,
    suspect: suspectReasonsOf(archive),
    ...(entry?.shrunkFrom !== undefined && { shrunkFrom: entry.shrunkFrom }),
    ...(entry?.accepted === true && { accepted: true }),
    refused,
    damaged,
  };
}
