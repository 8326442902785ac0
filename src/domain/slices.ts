/** The items in order, `size` of them at a time: for work where one at a time takes longer, and all at once memory. */
export function* slices<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
