import { StackferryError } from "../../src/core/errors.ts";
import type { Choice, Prompts } from "../../src/cli/program/prompts.ts";

/**
 * Answers questions without a terminal, and writes each question as a person would see it. For a list, an answer is the label of a
 * choice or its value; an empty answer is Enter alone. Without a next answer, the person has gone, as after Ctrl-C.
 */
export function answeredPrompts(answers: readonly string[], write: (text: string) => void): Prompts {
  const given = [...answers];
  const next = (): string => {
    const answer = given.shift();
    if (answer === undefined) throw new StackferryError("interrupted", "nobody answers");
    return answer;
  };
  return {
    async text({ message, otherwise = "", problemOf }) {
      for (;;) {
        write(`${message}\n`);
        const answer = next().trim() || otherwise;
        const problem = problemOf(answer);
        if (problem === undefined) return answer;
        write(`${problem}\n`);
      }
    },
    async choose({ message, choices, otherwise }) {
      write(`${[message, ...choices.map(({ label, hint = "" }) => `  ${label}  ${hint}`)].join("\n")}\n`);
      const answer = next() || (otherwise ?? choices[0]?.value);
      const isMeant = ({ value, label }: Choice<unknown>): boolean => value === answer || label === answer;
      const choice = choices.find(isMeant);
      if (choice === undefined) throw new Error(`the list "${message}" has no "${String(answer)}"`);
      return choice.value;
    },
  };
}
