import { StackferryError } from "../../core/errors.ts";
import { contextForStack } from "../../core/events.ts";
import { exitCodeOfError } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { stacksArgument } from "../program/flags.ts";
import {
  examineRepository,
  examineStack,
  type Examination,
  type ExaminedKind,
  type ExaminedRepository,
  type ProbedSource,
  type UnexaminedStack,
} from "../doctor/examine.ts";
import { stackAddressOf } from "../../config/stacks/stack-address.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import { errorMembers } from "../output/document.ts";
import { renderTable, type Cell } from "../output/table.ts";
import { problemLine, type OutputOptions, type Theme } from "../output/terminal.ts";
import { defineCommand } from "../program/define-command.ts";
import { loadSessionConfig } from "../inputs/config.ts";
import { resolveStack } from "../inputs/stack.ts";

/** Wrong settings of one stack or repository do not stop the others. */
export const command = defineCommand({
  positionals: {
    name: {
      ...stacksArgument,
      describe:
        "STACK or REPO to test, by name or address (default: all); a configured STACK also tests every repository",
    },
  },
  flags: {
    data: {
      type: "boolean",
      describe:
        "Also ask each source of a self-hosted stack, but for metrics, for data of the last 24 hours; exit 3 if one has none",
    },
  },
  examples: [
    ["doctor", "every stack and repository that is configured"],
    ["doctor production", "a stack, and every repository that is configured"],
    ["doctor production offsite", "a stack and one repository"],
    ["doctor production --data", "a line for each source: whether it has data"],
    ["doctor http://localhost:8000", "the key comes from STACKFERRY_API_KEY"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  run: async ({ name: references, data: asksForData }, session) => {
    const targets = await namesOf(references, session);
    const isAlone = targets.stacks.length + targets.repositories.length === 1;
    const stacks: (Examination | UnexaminedStack)[] = [];
    for (const name of targets.stacks) {
      const examination = examineNamed(name, { isOneOfSeveral: targets.stacks.length > 1, asksForData }, session);
      stacks.push(await (isAlone ? examination : examination.catch((error: unknown) => unexamined(name, error))));
    }
    const repositories: ExaminedRepository[] = [];
    for (const name of targets.repositories) repositories.push(await examineRepository(name, session));
    const sick = [...stacks, ...repositories].find(({ error }) => error !== undefined);
    return {
      exitCode: sick !== undefined ? exitCodeOfError(sick.error) : stacks.some(lacksData) ? 3 : 0,
      text: (display) =>
        [
          ...stacks.map((stack) => ("kinds" in stack ? doctorText(stack, display) : unexaminedText(stack, display))),
          ...repositories.map((repository) => repositoryText(repository, display)),
        ].join("\n"),
      details: {
        stacks: stacks.map(examinationJson),
        repositories: repositories.map(({ error, ...where }) => {
          return { ...where, ok: error === undefined, error: error && errorMembers(error) };
        }),
      },
    };
  },
});

function lacksData(stack: Examination | UnexaminedStack): boolean {
  return "data" in stack && stack.data?.some(({ status }) => status === "empty" || status === "failed") === true;
}

async function examineNamed(
  name: string,
  { isOneOfSeveral, asksForData }: { readonly isOneOfSeveral: boolean; readonly asksForData: boolean },
  session: Session,
): Promise<Examination> {
  const settings = await resolveStack(name, "any", session);
  const stackSession = isOneOfSeveral ? contextForStack(session, settings.stackName) : session;
  stackSession.events({ type: "phase", phase: `asking ${settings.stackName}` });
  return examineStack(settings, stackSession, asksForData);
}

/** An interruption, or any error but `config`, ends the run. */
function unexamined(name: string, error: unknown): UnexaminedStack {
  if (error instanceof StackferryError && error.code === "config") return { name, error };
  throw error;
}

/** A name that a stack and a repository share means both. */
async function namesOf(references: readonly string[], session: Session) {
  const config = await loadSessionConfig(session);
  const configured = { stacks: [...config.stacks.keys()], repositories: [...config.repositories.keys()] };
  if (references.length > 0) {
    const isRepository = (name: string): boolean =>
      configured.repositories.includes(name) || /^(?:s3:\/\/|\.{0,2}\/)/.test(name);
    const stacks = references.filter((name) => configured.stacks.includes(name) || !isRepository(name));
    const repositories = references.filter(isRepository);
    // The configuration does not say to which repository a stack is backed up, so all repositories are examined.
    const backedUp = repositories.length === 0 && stacks.some((name) => configured.stacks.includes(name));
    return { stacks, repositories: backedUp ? configured.repositories : repositories };
  }
  if (configured.stacks.length + configured.repositories.length > 0) return configured;
  throw new StackferryError("usage", "you named no stack, and the configuration has none", {
    hint: "give an address, or run stackferry init to write a stackferry.yaml",
  });
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
  const rows = kinds.map(({ kind, status, count, hidden, error: { code } = {} }): Cell[] => [
    kind.name,
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
  "not-asked": "not asked: a query of metrics must name one",
};

function dataText(data: readonly ProbedSource[], { identity, kinds }: StackSettings, display: OutputOptions): string {
  const { theme } = display;
  if (identity.variant === "managed")
    return "A managed stack answers no queries, so its sources were not asked for data.\n";
  if (data.length === 0)
    return kinds?.includes("sources") === false
      ? "Its `kinds` leave sources out, so none was asked for data.\n"
      : "It shows no sources, so none was asked for data.\n";
  const paints = { data: theme.good, empty: theme.notice, failed: theme.bad, "not-asked": theme.faint };
  const rows = data.map(({ name, id, status, message }): Cell[] => [
    printableText(name || id),
    { text: DATA_WORDS[status], paint: paints[status] },
    printableText(message ?? ""),
  ]);
  return renderTable({ columns: ["SOURCE", "DATA", ""], rows }, display);
}

function unexaminedText({ name, error }: UnexaminedStack, { theme }: OutputOptions): string {
  return `${theme.strong(printableText(name))}\n${problemLine(error.message, error.hint, theme)}`;
}

/** Names of headers are shown, but never their values. */
function accessText({ headers = [], clientCertificate, ca }: StackSettings): string {
  const used = [
    ...headers.map(({ name }) => `the header ${name}`),
    ...(clientCertificate === undefined ? [] : ["a client certificate"]),
    ...(ca === undefined ? [] : ["a CA file"]),
  ];
  return used.length === 0 ? "" : `${printableText(`reached with ${used.join(", ")}`)}\n`;
}

function repositoryText({ name, address: where, error }: ExaminedRepository, { theme }: OutputOptions): string {
  const title = `${theme.strong(printableText(name))}${where === "" || where === name ? "" : `  ${printableText(where)}`}\n`;
  return title + verdict(error, "listed, and a file written, read and removed", theme);
}

function verdicts(kinds: readonly ExaminedKind[], error: StackferryError | undefined, theme: Theme): string[] {
  const sound = "reachable, credential accepted";
  const isAccepted = kinds.some(({ status }) => status === "listed");
  if (error?.code !== "forbidden" || !isAccepted) return [verdict(error, sound, theme)];
  return [
    verdict(undefined, sound, theme),
    ...kinds.flatMap(({ kind: { name }, error: reason }) =>
      reason?.code === "forbidden"
        ? [problemLine(`${pluralOf(name)} cannot be read: ${reason.message}`, reason.hint, theme)]
        : [],
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
    kinds: kinds.map(({ kind, error: reason, ...found }) => ({
      kind: kind.name,
      ...found,
      ...(reason && errorMembers(reason)),
    })),
    requests,
    limit,
    data,
    error: error && errorMembers(error),
  };
}
