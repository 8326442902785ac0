/** Long work that pauses between its parts, so that its driver can let signals be handled. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Runs the work to its end without pauses. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** As `map`, with a step for each item. */
export function* mapInSteps<Item, Made>(items: Iterable<Item>, make: (item: Item) => Made): Steps<Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    made.push(make(item));
    yield;
  }
  return made;
}
