import type { Route, Stack } from "./route.ts";

/** Sources: the whole list in one answer, on both variants. */
export function sourceRoutes({ store }: Stack): readonly Route[] {
  const list = () => ({ is: "list", records: [...store.sources.values()] }) as const;
  return [{ method: "GET", path: "sources", writes: false, handle: list }];
}
