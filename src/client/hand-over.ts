/** Takes one item, and resolves once somebody wants the next. Rejects when nobody does. */
export type Give<Item> = (item: Item) => Promise<void>;

interface Offer<Item> {
  readonly item: Item;
  readonly take: () => void;
  readonly refuse: (reason: unknown) => void;
}

/**
 * Lets an operation that gives items while it runs be read as an async generator, at the pace of its reader. A reader that
 * stops early aborts the signal that the operation was given.
 */
export async function* handOver<Item, Result>(
  operate: (give: Give<Item>, signal: AbortSignal) => Promise<Result>,
  signal?: AbortSignal,
): AsyncGenerator<Item, Result> {
  const left = new AbortController();
  const offers: Offer<Item>[] = [];
  let ended = false;
  let wake = (): void => {};
  const give: Give<Item> = (item) =>
    new Promise((take, refuse) => {
      if (left.signal.aborted) return refuse(left.signal.reason);
      offers.push({ item, take, refuse });
      wake();
    });
  const end = (): void => {
    ended = true;
    wake();
  };
  const result = operate(give, signal === undefined ? left.signal : AbortSignal.any([left.signal, signal]));
  result.then(end, end);
  try {
    for (;;) {
      const [offer] = offers;
      if (offer !== undefined) {
        yield offer.item;
        offers.shift();
        offer.take();
      } else if (ended) return await result;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    left.abort();
    for (const offer of offers) offer.refuse(left.signal.reason);
  }
}
