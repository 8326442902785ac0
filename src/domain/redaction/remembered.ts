/** So many names are remembered, and none that is longer: those of one hostile stack must not fill the memory. */
const MOST_REMEMBERED = 10_000;
const LONGEST = 100;

/** Remembers answers about names, as the same ones come again in every record. */
export function remembered<Answer>(ask: (name: string) => Answer): (name: string) => Answer {
  const known = new Map<string, { readonly answer: Answer }>();
  return (name) => {
    const before = known.get(name);
    if (before) return before.answer;
    const answer = ask(name);
    if (known.size < MOST_REMEMBERED && name.length <= LONGEST) known.set(name, { answer });
    return answer;
  };
}
