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
  const waiting: Item[] = [];
  let [weight, underWay, isDue] = [0, 0, false];

  const nextBatch = (): Item[] => {
    let [count, taken] = [0, 0];
    for (const item of waiting) {
      if (taken >= enough) break;
      count += 1;
      taken += weigh(item);
    }
    weight -= taken;
    return waiting.splice(0, count);
  };
  const begin = async (): Promise<void> => {
    const batch = nextBatch();
    underWay += 1;
    const answer = await ask(batch);
    underWay -= 1;
    beginMore();
    take(batch, answer);
  };
  const mayBegin = (): boolean => underWay < most && weight >= enough;
  const beginMore = (): void => {
    while (mayBegin()) void begin();
    if (isDue || underWay > 0 || waiting.length === 0) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      if (underWay === 0 && waiting.length > 0) void begin();
    });
  };

  return (item) => {
    waiting.push(item);
    weight += weigh(item);
    beginMore();
  };
}
