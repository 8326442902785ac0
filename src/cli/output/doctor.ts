import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { ErrorCode, StackferryError } from "../../core/errors.ts";
import type { RequestCounts } from "../../core/ports.ts";
import { pluralize } from "../../core/text/format.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import { printableText } from "../../core/text/printable.ts";
import { stackAddressOf } from "../../config/stacks/stack-address.ts";
import { errorMembers } from "./document.ts";
import { renderTable, type Cell } from "./table.ts";
import { problemLine, type OutputOptions, type Theme } from "./terminal.ts";

/** The doctor's findings about one kind. `left-out`: the stack's `kinds` do not have it, so nothing asks for it. */
export interface ExaminedKind {
  readonly kind: string;
  readonly status: "listed" | "not-offered" | "failed" | "not-tried" | "left-out";
  readonly count?: number;
  /** The number of records that the stack counts but does not list. */
  readonly hidden?: number;
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly hint?: string;
}

/** The answer of one source to a query for data. */
export interface ProbedSource {
  readonly name: string;
  readonly id: string;
  /** `empty`: no data of the last day. `not-asked`: no tile of the stack names a metric that could be queried. */
  readonly status: "data" | "empty" | "failed" | "not-asked";
  readonly code?: string;
  readonly message?: string;
}

/** The doctor's findings about one stack. */
export interface Examination {
  readonly settings: StackSettings;
  readonly kinds: readonly ExaminedKind[];
  readonly requests: RequestCounts;
  /** The rate limit that was reached, in the client's words. */
  readonly limit?: string;
  /** The sources that were asked for data (`--data`). */
  readonly data?: readonly ProbedSource[];
  /** The first error that the examination met. */
  readonly error?: StackferryError;
}

/** A stack that could not be examined, because its settings are wrong. */
export interface UnexaminedStack {
  /** The stack as the command line or the configuration names it. */
  readonly name: string;
  readonly error: StackferryError;
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
  failed: "✗ failed",
  "not-tried": "not tried",
  "left-out": "left out by `kinds` of the stack",
};

export function doctorText(
  { settings, kinds, requests, limit, data, error }: Examination,
  display: OutputOptions,
): string {
  const { theme } = display;
  const rows = kinds.map(({ kind, status, count, hidden, code }): Cell[] => [
    kind,
    count === undefined ? "" : String(count),
    { text: `${WORDS[status]}${remark(code, hidden)}`, paint: paintOf(status, theme) },
  ]);
  const columns = ["KIND", { right: "RECORDS" }, ""];
  return [
    `${theme.strong(printableText(settings.stackName))}  ${settings.identity.variant}, ${printableText(stackAddressOf(settings.identity))}\n`,
    accessText(settings),
    ...verdicts(kinds, error, theme),
    renderTable({ columns, rows }, display),
    data === undefined ? "" : dataText(data, settings, display),
    `${pluralize(requests.total, "request")}, ${requests.retried} repeated, ${requests.rateLimited} refused by a rate limit\n`,
    limit === undefined ? "" : printableText(`limit: ${limit}`) + "\n",
  ].join("");
}

const DATA_WORDS: Readonly<Record<ProbedSource["status"], string>> = {
  data: "✓ has data",
  empty: "has no data of the last 24 hours",
  failed: "✗ cannot be queried",
  "not-asked": "not asked: no tile queries one of its metrics",
};

/** Renders a line for each source that was asked for data. */
function dataText(data: readonly ProbedSource[], { identity }: StackSettings, display: OutputOptions): string {
  const { theme } = display;
  if (identity.variant === "managed")
    return "A managed stack answers no queries, so its sources were not asked for data.\n";
  const paints = { data: theme.good, empty: theme.notice, failed: theme.bad, "not-asked": theme.faint };
  const rows = data.map(({ name, id, status, message }): Cell[] => [
    printableText(name || id),
    { text: DATA_WORDS[status], paint: paints[status] },
    printableText(message ?? ""),
  ]);
  return renderTable({ columns: ["SOURCE", "DATA", ""], rows }, display);
}

export function unexaminedText({ name, error }: UnexaminedStack, { theme }: OutputOptions): string {
  return `${theme.strong(printableText(name))}\n${problemLine(error.message, error.hint, theme)}`;
}

/** Tells which settings for a gateway a stack uses. Names of headers are shown, their values never. */
function accessText({ headers = [], clientCertificate, ca }: StackSettings): string {
  const used = [
    ...headers.map(({ name }) => `the header ${name}`),
    ...(clientCertificate === undefined ? [] : ["a client certificate"]),
    ...(ca === undefined ? [] : ["a CA file"]),
  ];
  return used.length === 0 ? "" : `${printableText(`reached with ${used.join(", ")}`)}\n`;
}

export function repositoryText({ name, address: where, error }: ExaminedRepository, { theme }: OutputOptions): string {
  const title = `${theme.strong(printableText(name))}${where === "" || where === name ? "" : `  ${printableText(where)}`}\n`;
  return title + verdict(error, "listed, and a file written, read and removed", theme);
}

/** If the stack accepts the key, tells which rights the key lacks, one line for each kind. */
function verdicts(kinds: readonly ExaminedKind[], error: StackferryError | undefined, theme: Theme): string[] {
  const sound = "reachable, credential accepted";
  const forbidden = kinds.filter(({ code }) => code === "forbidden");
  const isAccepted = kinds.some(({ status }) => status === "listed");
  if (error?.code !== "forbidden" || !isAccepted) return [verdict(error, sound, theme)];
  return [
    verdict(undefined, sound, theme),
    ...forbidden.map(({ kind, message = "", hint }) =>
      problemLine(`${pluralOf(kind)} cannot be read: ${message}`, hint, theme),
    ),
  ];
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

/** Describes the findings for the JSON document. */
export function doctorDetails(
  stacks: readonly (Examination | UnexaminedStack)[],
  repositories: readonly ExaminedRepository[],
): Readonly<Record<string, unknown>> {
  return { stacks: stacks.map(examinationJson), repositories: repositories.map(describedRepository) };
}

function examinationJson(stack: Examination | UnexaminedStack): Readonly<Record<string, unknown>> {
  if (!("kinds" in stack)) {
    return { label: stack.name, reachable: false, accepted: false, kinds: [], error: errorMembers(stack.error) };
  }
  const { settings, kinds, requests, limit, data, error } = stack;
  const code = error?.code;
  const listed = kinds.some(({ status }) => status === "listed" || status === "not-offered") || kinds.length === 0;
  // Only a listed kind proves that the credential is accepted: other answers may come from a server without this API.
  const proven = kinds.some(({ status }) => status === "listed");
  const reachable = code === undefined || code === "unauthorized" || code === "forbidden" || listed;
  return {
    label: settings.stackName,
    ...settings.identity,
    access: {
      headers: (settings.headers ?? []).map(({ name }) => name),
      clientCertificate: settings.clientCertificate !== undefined,
      ca: settings.ca !== undefined,
    },
    reachable,
    accepted: proven && code !== "unauthorized",
    kinds,
    requests,
    limit,
    data,
    error: error && errorMembers(error),
  };
}

function describedRepository({ name, address, error }: ExaminedRepository): Readonly<Record<string, unknown>> {
  return { name, address, ok: error === undefined, error: error && errorMembers(error) };
}
