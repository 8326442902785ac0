import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { ErrorCode, StackferryError } from "../../core/errors.ts";
import type { RequestCounts } from "../../core/ports.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { stackAddressOf } from "../../config/stacks/stack-address.ts";
import { renderTable, type Cell } from "./table.ts";
import { problemLine, type OutputOptions, type Theme } from "./terminal.ts";

/** The doctor's findings about one kind. `by-id`: the kind cannot be listed, only read by a known id. */
export interface ExaminedKind {
  readonly kind: string;
  readonly status: "listed" | "not-offered" | "by-id" | "failed" | "not-tried";
  readonly count?: number;
  /** The number of records that the stack counts but does not list. */
  readonly hidden?: number;
  readonly code?: ErrorCode;
  readonly message?: string;
}

/** The doctor's findings about one stack. */
export interface Examination {
  readonly settings: StackSettings;
  readonly kinds: readonly ExaminedKind[];
  readonly requests: RequestCounts;
  /** The rate limit that was reached, in the client's words. */
  readonly limit?: string;
  /** The first error that the examination met. */
  readonly error?: StackferryError;
}

export interface ExaminedRepository {
  readonly name: string;
  /** The address of the repository; empty if unknown. */
  readonly address: string;
  readonly error?: StackferryError;
}

const WORDS: Readonly<Record<ExaminedKind["status"], string>> = {
  listed: "✓ readable",
  "not-offered": "not offered by this variant or deployment",
  "by-id": "no list; records are read by their ids (`pipeIds`)",
  failed: "✗ failed",
  "not-tried": "not tried",
};

export function doctorText({ settings, kinds, requests, limit, error }: Examination, display: OutputOptions): string {
  const { theme } = display;
  const rows = kinds.map(({ kind, status, count, hidden, code }): Cell[] => [
    kind,
    count === undefined ? "" : String(count),
    { text: `${WORDS[status]}${remark(code, hidden)}`, paint: paintOf(status, theme) },
  ]);
  const columns = ["KIND", { right: "RECORDS" }, ""];
  return [
    `${theme.strong(printableText(settings.stackName))}  ${settings.identity.variant}, ${printableText(stackAddressOf(settings.identity))}\n`,
    verdict(error, "reachable, credential accepted", theme),
    renderTable({ columns, rows }, display),
    `${pluralize(requests.total, "request")}, ${requests.retried} repeated, ${requests.rateLimited} refused by a rate limit\n`,
    limit === undefined ? "" : printableText(`limit: ${limit}`) + "\n",
  ].join("");
}

export function repositoryText({ name, address: where, error }: ExaminedRepository, { theme }: OutputOptions): string {
  const title = `${theme.strong(printableText(name))}${where === "" || where === name ? "" : `  ${printableText(where)}`}\n`;
  return title + verdict(error, "listed, and a file written, read and removed", theme);
}

function verdict(error: StackferryError | undefined, sound: string, theme: Theme): string {
  if (error === undefined) return `${theme.good("✓")} ${sound}\n`;
  return problemLine(error.message, error.hint, theme);
}

function remark(code: string | undefined, hidden: number | undefined): string {
  if (code !== undefined) return ` (${code})`;
  return hidden === undefined ? "" : `, and ${hidden} more that the stack counts but does not list`;
}

function paintOf(status: ExaminedKind["status"], theme: Theme): (text: string) => string {
  if (status === "failed") return theme.bad;
  return status === "listed" ? theme.good : theme.faint;
}
