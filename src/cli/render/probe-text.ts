import type { Probe } from "../../jobs/probe-sources.ts";
import { printable } from "./printable.ts";
import type { View } from "./theme.ts";

const WORDS: Readonly<Record<Probe["status"], string>> = {
  data: "answers with data",
  empty: "answers, but has nothing in the last 24 hours",
  failed: "fails",
};

/** What each probed source answered; empty where none was asked. */
export function probeText(probes: readonly Probe[], { theme }: View): string {
  if (probes.length === 0) return "";
  const lines = probes.map(({ name, targetId, status, message }) => {
    const paint = status === "data" ? theme.good : status === "empty" ? theme.notice : theme.bad;
    const why = message === undefined ? "" : `: ${printable(message)}`;
    return `  ${printable(name || targetId)} ${paint(WORDS[status])}${why}\n`;
  });
  return `Sources:\n${lines.join("")}`;
}
