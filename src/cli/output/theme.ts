import { styleText } from "node:util";
import type { CliIo, TextOutput } from "../program/io.ts";

type Style = Parameters<typeof styleText>[0];

/** Colours by what they mean. */
export interface Theme {
  readonly good: Paint;
  readonly bad: Paint;
  readonly notice: Paint;
  readonly faint: Paint;
  readonly strong: Paint;
}

/** Colours a text, or leaves it. */
export type Paint = (text: string) => string;

/** How to show something: in which colours, and how wide at most (undefined: as wide as it gets). */
export interface OutputOptions {
  readonly theme: Theme;
  readonly columns: number | undefined;
}

const STYLES: Readonly<Record<keyof Theme, Style>> = {
  good: "green",
  bad: "red",
  notice: "yellow",
  faint: "dim",
  strong: "bold",
};

/** The theme with or without colours. */
export function createTheme(colours: boolean): Theme {
  const paint =
    (style: Style): Paint =>
    (text) =>
      colours ? styleText(style, text, { validateStream: false }) : text;
  return {
    good: paint(STYLES.good),
    bad: paint(STYLES.bad),
    notice: paint(STYLES.notice),
    faint: paint(STYLES.faint),
    strong: paint(STYLES.strong),
  };
}

/** Whether to colour: `--no-color`, then `FORCE_COLOR`, `NO_COLOR`, `TERM=dumb`, then whether it is a terminal. */
export function usesColour(output: TextOutput, env: CliIo["env"], noColor: boolean): boolean {
  if (noColor) return false;
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminal } = env;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if (refused !== undefined && refused !== "") return false;
  return terminal !== "dumb" && output.isTTY;
}

/** C0 and C1 controls, DEL, line separators, and the marks that turn the reading direction. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;

/** Messages of ours and of servers have at most 2,000 characters. */
const MOST_CHARACTERS = 10_000;

/**
 * Text from a stack or an archive made safe for a terminal: what could move the cursor, change colours, or make one name
 * look like another is shown as `\u{…}`, and what would fill the screen is cut. Everything that people read, wide characters
 * and emoji included, stays.
 */
export function printable(text: string): string {
  const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  return cut.replaceAll(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** One JSON document on one line. JSON itself leaves C1 and direction marks as they are, so they are escaped here. */
export function printableJson(value: unknown): string {
  const escape = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replaceAll(UNPRINTABLE, escape);
}
