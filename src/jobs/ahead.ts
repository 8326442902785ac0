/**
 * Begins the next while the ones before it are still under way, `most` beside the oldest, and gives what each came to in the
 * order of the items.
 */
export async function* ahead<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  begin: (item: Item) => Promise<Result>,
  most: number,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  for await (const item of items) {
    const begun = begin(item);
    // Its failure is heard when its turn comes.
    begun.catch(() => {});
    underWay.push(begun);
    const oldest = underWay.length > most ? underWay.shift() : undefined;
    if (oldest !== undefined) yield await oldest;
  }
  for (const begun of underWay) yield await begun;
}
