import type { Examination, ExaminedKind } from "../runs/examine-stack.ts";
import { address } from "./archive-text.ts";
import { printable } from "./printable.ts";
import { renderTable } from "./table.ts";
import type { Cell } from "./table.ts";
import type { Theme, View } from "./theme.ts";

const WORDS: Readonly<Record<ExaminedKind["status"], string>> = {
  listed: "✓ readable",
  "not-offered": "not offered by this variant or deployment",
  "by-id": "readable one by one, by id",
  failed: "✗ failed",
  "not-tried": "not tried",
};

/** What the doctor found of one stack. */
export function doctorText({ settings, kinds, requests, limit, error }: Examination, view: View): string {
  const { theme } = view;
  const rows = kinds.map(({ kind, status, count, code }): Cell[] => [
    kind,
    count === undefined ? "" : String(count),
    { text: code === undefined ? WORDS[status] : `${WORDS[status]} (${code})`, paint: paintOf(status, theme) },
  ]);
  const columns = [{ title: "KIND" }, { title: "RECORDS", align: "right" as const }, { title: "" }];
  const problem = error === undefined ? "" : `${theme.bad("✗")} ${printable(error.message)}\n${hintLine(error.hint)}`;
  const sound = error === undefined ? `${theme.good("✓")} reachable, credential accepted\n` : problem;
  return [
    `${theme.strong(printable(settings.label))}  ${settings.identity.variant}, ${printable(address(settings.identity))}\n`,
    sound,
    renderTable({ columns, rows }, view),
    `${requests.total} requests, ${requests.retried} repeated, ${requests.rateLimited} refused by a rate limit\n`,
    limit === undefined ? "" : printable(`limit: ${limit}`) + "\n",
  ].join("");
}

function hintLine(hint: string | undefined): string {
  return hint === undefined ? "" : `  ${printable(hint)}\n`;
}

function paintOf(status: ExaminedKind["status"], theme: Theme): (text: string) => string {
  if (status === "failed") return theme.bad;
  return status === "listed" ? theme.good : theme.faint;
}
