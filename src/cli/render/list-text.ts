import type { StoredArchive } from "../../jobs/stored-archives.ts";
import { printable } from "./printable.ts";
import { sizeText } from "./size-text.ts";
import { renderTable } from "./table.ts";
import type { View } from "./theme.ts";

/** The backups in a place. */
export function listText(archives: readonly StoredArchive[], place: string, view: View): string {
  if (archives.length === 0) return `no backups in ${printable(place)}\n`;
  const rows = archives.map(({ stack, at, bytes, encrypted }) => {
    return [stack, new Date(at).toISOString().replace(".000", ""), sizeText(bytes), encrypted ? "encrypted" : ""];
  });
  const columns = [
    { title: "STACK" },
    { title: "TIME (UTC)" },
    { title: "SIZE", align: "right" as const },
    { title: "" },
  ];
  return renderTable({ columns, rows }, view);
}
