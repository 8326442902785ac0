/** Long work that stops for a moment between its parts, so that whoever drives it can let a signal be heard. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does the work at one go. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** What `map` gives, a step for each item. */
export function* mapInSteps<Item, Made>(items: Iterable<Item>, make: (item: Item) => Made): Steps<Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    made.push(make(item));
    yield;
  }
  return made;
}
