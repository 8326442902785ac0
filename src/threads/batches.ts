/** How things are put together, and what is done with them. */
export interface BatchOptions<Item, Answer> {
  /** A batch is complete once its items weigh this much. */
  readonly enough: number;
  /** Batches that are asked for at a time. */
  readonly most: number;
  readonly weigh: (item: Item) => number;
  /** Has somebody else work on a batch. Must not reject. */
  readonly ask: (batch: readonly Item[]) => Promise<Answer>;
  readonly take: (batch: readonly Item[], answer: Answer) => void;
}

/**
 * Asks for what is added in batches, in its order: at once for those that are complete, and for others where nothing else is
 * under way and whoever adds has nothing more to add for now. The next batch is asked for before the last answer is taken.
 */
export function createBatches<Item, Answer>(options: BatchOptions<Item, Answer>): (item: Item) => void {
  const { enough, most, weigh, ask, take } = options;
  const complete: Item[][] = [];
  let batch: Item[] = [];
  let [weight, underWay, isDue] = [0, 0, false];

  const close = (): void => {
    complete.push(batch);
    [batch, weight] = [[], 0];
  };
  const begin = async (next: readonly Item[]): Promise<void> => {
    underWay += 1;
    const answer = await ask(next);
    underWay -= 1;
    beginMore();
    take(next, answer);
  };
  const beginMore = (): void => {
    for (const next of complete.splice(0, most - underWay)) void begin(next);
    if (isDue || underWay > 0 || batch.length === 0) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      if (underWay > 0 || batch.length === 0) return;
      close();
      beginMore();
    });
  };

  return (item) => {
    batch.push(item);
    weight += weigh(item);
    if (weight >= enough) close();
    beginMore();
  };
}
