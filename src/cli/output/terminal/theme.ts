import { styleText } from "node:util";
import type { CliIo, TextOutput } from "../../program/io.ts";

type Style = Parameters<typeof styleText>[0];

/** Colours by what they mean. */
export interface Theme {
  readonly good: Paint;
  readonly bad: Paint;
  readonly notice: Paint;
  readonly faint: Paint;
  readonly strong: Paint;
  /** The same, in sentence case: every heading is spelled so. */
  readonly heading: Paint;
}

/** Colours a text, or leaves it. */
export type Paint = (text: string) => string;

/** How to show something: in which colours, how wide at most (undefined: as wide as it gets), and whether all of it. */
export interface OutputOptions {
  readonly theme: Theme;
  readonly columns: number | undefined;
  /** Nothing is cut or summed up (`--verbose`). */
  readonly verbose?: boolean;
}

const STYLES: Readonly<Record<Exclude<keyof Theme, "heading">, Style>> = {
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
  const strong = paint(STYLES.strong);
  return {
    good: paint(STYLES.good),
    bad: paint(STYLES.bad),
    notice: paint(STYLES.notice),
    faint: paint(STYLES.faint),
    strong,
    heading: (text) => strong(text.slice(0, 1).toUpperCase() + text.slice(1)),
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
