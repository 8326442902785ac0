import type { CANCEL_SYMBOL, Option } from "@clack/prompts";
import { StackferryError } from "../../core/errors.ts";

export interface Prompts {
  text(question: TextQuestion, signal: AbortSignal): Promise<string>;
  choose<Value>(question: ListQuestion<Value>, signal: AbortSignal): Promise<Value>;
}

export interface TextQuestion {
  readonly message: string;
  /** The answer if the user only presses Enter. */
  readonly otherwise?: string | undefined;
  /** Undefined for a usable answer. */
  readonly problemOf: (answer: string) => string | undefined;
}

export interface ListQuestion<Value> {
  readonly message: string;
  readonly choices: readonly Choice<Value>[];
  /** The choice if the user only presses Enter; by default the first choice. */
  readonly otherwise?: Value;
}

export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

const MAX_SEEN = 12;

export const terminalPrompts: Prompts = {
  async text({ message, otherwise, problemOf }, signal) {
    const { text } = await import("@clack/prompts");
    const defaults = otherwise === undefined ? {} : { placeholder: otherwise, defaultValue: otherwise };
    const validate = (typed = ""): string | undefined => problemOf(typed.trim() || (otherwise ?? ""));
    return (await onTerminal(signal, (terminal) => text({ message, validate, ...defaults, ...terminal }))).trim();
  },
  async choose({ message, choices, otherwise }, signal) {
    const { autocomplete } = await import("@clack/prompts");
    const options = choices.map(({ label, hint = "" }, value): Option<number> => ({ value, label, hint }));
    const filter = (typed: string, { label = "", hint = "" }: Option<number>): boolean =>
      `${label} ${hint}`.toLowerCase().includes(typed.toLowerCase());
    const initialValue = Math.max(
      0,
      choices.findIndex(({ value }) => value === otherwise),
    );
    const list = { message, options, filter, initialValue, maxItems: MAX_SEEN };
    const choice = choices[await onTerminal(signal, (terminal) => autocomplete({ ...list, ...terminal }))];
    if (choice === undefined) throw new Error("the list has no such choice");
    return choice.value;
  },
};

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** `output` is stderr, because stdout may be a file or a pipe. */
interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  readonly withGuide: boolean;
}

/**
 * Ctrl-C ends the question, not the process.
 * @throws StackferryError `interrupted`, or the reason of the signal
 */
async function onTerminal<Answer>(
  signal: AbortSignal,
  ask: (terminal: Terminal) => Promise<Answer | typeof CANCEL_SYMBOL>,
): Promise<Answer> {
  const { stdin: input, stderr: output } = process;
  output.columns ||= DEFAULT_COLUMNS;
  output.rows ||= DEFAULT_ROWS;
  // Ctrl-D ends the question: the library would leave it open, and the process would end in the middle of the run.
  const ended = new AbortController();
  const endAtKey = (_typed: string, { ctrl, name }: { readonly ctrl?: boolean; readonly name?: string }): void => {
    if (ctrl === true && name === "d") ended.abort();
  };
  input.on("keypress", endAtKey);
  try {
    const answer = await ask({ input, output, signal: AbortSignal.any([signal, ended.signal]), withGuide: false });
    signal.throwIfAborted();
    if (typeof answer !== "symbol") return answer;
    throw new StackferryError("interrupted", "stopped at a question, before anything was written or removed");
  } finally {
    input.off("keypress", endAtKey);
  }
}
