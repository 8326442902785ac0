import { countOutcomes, type Outcome } from "../../core/outcome.ts";
import { printableText } from "../../core/text/printable.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import type { OutputOptions } from "../output/terminal.ts";
import type { MoveResult } from "./move.ts";

export interface DemoBackups extends Pick<MoveResult, "checks"> {
  /** `REPO/STACK`. */
  readonly backups: string;
}

const INTRODUCTION = `Three observability stacks ran on this machine for the length of this demo: a self-hosted one full of
dashboards and alerts, an empty managed one, and an empty self-hosted one. Everything was moved from the
first to the second, and from there to the third. Then the first was wiped and rebuilt from its archive.
Nothing left this machine.
`;

const MATCHED = "matched with records of the new stack";
const PLANNED = { create: "to create", update: "to update", matched: MATCHED, blocked: "blocked" };
const CARRIED_OUT = { create: "created", update: "updated", matched: MATCHED, blocked: "blocked", failed: "failed" };

export function demoText(
  moves: readonly MoveResult[],
  history: DemoBackups,
  folder: string,
  display: OutputOptions,
): string {
  const { theme } = display;
  const checks = [...moves, history].flatMap((part) => part.checks);
  const failed = checks.filter(({ holds }) => !holds).length;
  const verdict =
    failed === 0
      ? theme.good(`✓ all ${checks.length} checks hold`)
      : theme.bad(`✗ ${failed} of ${checks.length} checks fail`);
  return [
    `${theme.strong("stackferry demo")}\n\n${INTRODUCTION}\n`,
    ...moves.map((moved, index) => `${moveText(moved, index + 1, display)}\n`),
    `${theme.strong(`${moves.length + 1}. Two backups of the rebuilt stack, and a tile changed between them`)}\n`,
    line("backups", history.backups),
    ...checkLines(history.checks, display),
    "\n",
    `${verdict}\n\n`,
    theme.strong("Try it yourself") + "\n",
    ...tryLines(moves, history, folder).map((line) => `  ${printableText(line)}\n`),
  ].join("");
}

function moveText(
  { title, archive, manifest, planned, outcomes, checks, requests }: MoveResult,
  number: number,
  display: OutputOptions,
): string {
  const { theme } = display;
  const exported = Object.entries(manifest.kinds)
    .filter(([, { status }]) => status === "complete")
    .map(([kind, { count }]) => `${count} ${pluralOf(kind)}`);
  const rules = manifest.redactions.map(({ rule }) => rule);
  const redacted = [...new Set(rules)]
    .map((rule) => `${rules.filter((other) => other === rule).length} × ${rule}`)
    .join(", ");
  return [
    `${theme.strong(`${number}. ${title}`)}\n`,
    line("exported", exported.join(", ")),
    line("archive", archive.path),
    line("digest", archive.contentDigest),
    line("taken out", redacted === "" ? "no secrets found" : `secrets: ${redacted}`),
    line("planned", countsText(planned, PLANNED)),
    line("carried out", countsText(outcomes, CARRIED_OUT)),
    line("requests", requestsText(requests)),
    ...checkLines(checks, display),
  ].join("");
}

function checkLines(checks: MoveResult["checks"], { theme }: OutputOptions): string[] {
  return checks.flatMap(({ what, holds, counterexamples }) => [
    `  ${holds ? theme.good("✓") : theme.bad("✗")} ${printableText(what)}\n`,
    ...counterexamples.map((example) => `      ${printableText(example)}\n`),
  ]);
}

function requestsText({ source, target }: MoveResult["requests"]): string {
  if (source === 0) return `${target} (plans and import)`;
  return `${source} to the old stack, ${target} to the new one (plan and import)`;
}

function countsText(outcomes: readonly Outcome[], words: Readonly<Record<string, string>>): string {
  const counts = countOutcomes(outcomes);
  return Object.entries(words)
    .map(([key, word]) => `${counts[key] ?? 0} ${word}`)
    .join(", ");
}

function line(name: string, value: string): string {
  return `  ${name.padEnd(12)} ${printableText(value)}\n`;
}

function tryLines(moves: readonly MoveResult[], { backups }: DemoBackups, folder: string): string[] {
  const path = moves[0]?.archive.path ?? "ARCHIVE";
  return [
    `stackferry inspect ${path}`,
    `stackferry verify ${path}`,
    `stackferry log ${backups} --patch`,
    "stackferry sandbox --variant self-hosted --seed sample    # a stack to play with, in another terminal",
    `The archives stay in ${folder} until you delete the folder.`,
    "With a stack of your own:",
    "  stackferry init",
    "  stackferry doctor",
    "  stackferry backup production --to FOLDER    # a folder that exists, or s3://BUCKET/PREFIX",
  ];
}
