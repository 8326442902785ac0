import { JOINTS } from "./sign.ts";
import type { Sign } from "./sign.ts";

/** A sign whose literal ends in a state, and the bit of its group. */
export interface Ending {
  readonly sign: Sign;
  readonly bit: number;
}

/** A place inside of one literal or of more that begin alike. */
interface Place {
  readonly number: number;
  /** Where each character leads. */
  readonly next: Map<number, Place>;
  readonly ending: Ending[];
}

/** A state of the automaton: the places that can be held at once, as what was read may be the beginning of many literals. */
interface State {
  readonly places: readonly Place[];
  readonly ending: readonly Ending[];
  hasRow: boolean;
}

/** Characters above are in no sign. */
export const ALPHABET = 256;

/** The first places of all literals, by how they are spelled. */
function beginnings(groups: readonly (readonly Sign[])[]): Place[] {
  let count = 0;
  const place = (): Place => ({ number: (count += 1), next: new Map(), ending: [] });
  const roots = { exact: place(), "any-case": place(), "any-joint": place() };
  for (const [index, group] of groups.entries()) {
    for (const sign of group) {
      const spelled = sign.spelled ?? "exact";
      let at = roots[spelled];
      for (const [position, character] of sign.literal.split("").entries()) {
        const codes = (spelled === "exact" ? [character] : [character, character.toUpperCase()]).map(codeOf);
        const to = at.next.get(codeOf(character)) ?? place();
        for (const code of codes) at.next.set(code, to);
        // A joint leads nowhere: the place is held.
        if (spelled === "any-joint" && position > 0) for (const joint of JOINTS) at.next.set(codeOf(joint), at);
        at = to;
      }
      at.ending.push({ sign, bit: 1 << index });
    }
  }
  return Object.values(roots);
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}

/** The table of a search for signs. */
export interface Automaton {
  /**
   * Where each character leads from each state. A state is the place of its row in the table; it is negative where there is
   * more to do than to go on: something ends there, or the row has not been made yet.
   */
  table: Int32Array;
  /** Enters a state by such a step: what ends in it. */
  readonly enter: (step: number) => readonly Ending[];
}

/** Makes the table of steps. Rows are made when their state is entered first: most of them never are. */
export function makeAutomaton(groups: readonly (readonly Sign[])[]): Automaton {
  const starts = stepsOf(beginnings(groups));
  const states: State[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (places: readonly Place[]): number => {
    const sorted = places.map(({ number }) => number).toSorted((left, right) => left - right);
    const key = sorted.join(" ");
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = states.push({ places, ending: places.flatMap(({ ending }) => ending), hasRow: false }) - 1;
    numbers.set(key, number);
    return number;
  };
  const makeRow = (row: number, { places }: State): void => {
    while (made.table.length < row + ALPHABET) {
      const larger = new Int32Array(made.table.length * 2);
      larger.set(made.table);
      made.table = larger;
    }
    // What goes on with nothing begins anew, as it does from the first state.
    made.table.copyWithin(row, 0, ALPHABET);
    for (const [code, to] of row === 0 ? starts : stepsOf(places)) {
      const number = numberOf(row === 0 ? to : [...to, ...(starts.get(code) ?? [])]);
      made.table[row + code] = -number * ALPHABET;
    }
  };
  const enter = (step: number): readonly Ending[] => {
    const row = -(made.table[step] ?? 0);
    const state = states[row / ALPHABET];
    if (!state) throw new Error("a step leads nowhere");
    if (!state.hasRow) makeRow(row, state);
    state.hasRow = true;
    if (state.ending.length === 0) made.table[step] = row;
    return state.ending;
  };
  const made: Automaton = { table: new Int32Array(64 * ALPHABET), enter };
  const first: State = { places: [], ending: [], hasRow: true };
  numbers.set("", states.push(first) - 1);
  makeRow(0, first);
  return made;
}

type Steps = ReadonlyMap<number, readonly Place[]>;

function stepsOf(places: readonly Place[]): Steps {
  const steps = new Map<number, Place[]>();
  for (const { next } of places) {
    for (const [code, to] of next) {
      const others = steps.get(code);
      if (others) others.push(to);
      else steps.set(code, [to]);
    }
  }
  return steps;
}
