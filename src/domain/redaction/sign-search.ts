import type { Sign } from "./sign.ts";
import { ALPHABET, makeAutomaton } from "./sign-automaton.ts";
import type { Automaton, Ending } from "./sign-automaton.ts";

/** Signs to look for together: the answer has bit `n` set where one of the `n`th group is in the text. */
export type SignSearch = (text: string) => number;

/**
 * Makes a search for many signs in one pass, whose cost does not depend on how many there are: a table of states, one step
 * a character. What a sign asks for around its literal is only looked at where the literal stands.
 */
export function signSearch(groups: readonly (readonly Sign[])[]): SignSearch {
  // Made for the first text: most commands have none to search.
  let automaton: Automaton | undefined;
  return (text) => {
    automaton ??= makeAutomaton(groups);
    let { table } = automaton;
    let state = 0;
    let found = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= ALPHABET) state = 0;
      else {
        const step = table[state + code] ?? 0;
        if (step >= 0) state = step;
        else {
          found |= fitting(text, at + 1, automaton.enter(state + code), found);
          state = -step;
          table = automaton.table;
        }
      }
    }
    return found;
  };
}

function fitting(text: string, end: number, ending: readonly Ending[], found: number): number {
  let bits = 0;
  for (const { sign, bit } of ending) if (((found | bits) & bit) === 0 && fits(text, end, sign)) bits |= bit;
  return bits;
}

function fits(text: string, end: number, { literal, from, after }: Sign): boolean {
  if (from) {
    from.lastIndex = end - literal.length;
    if (!from.test(text)) return false;
  }
  if (!after) return true;
  after.lastIndex = end;
  return after.test(text);
}
