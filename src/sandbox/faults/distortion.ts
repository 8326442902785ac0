import type { Route } from "../routes/route.ts";
import type { Collection, Store } from "../store/store.ts";

/** Makes a route, known by its name in the statistics, store or return other data than it should. */
export type Distortion = (name: string, route: Route) => Route;

/** The collection of a route. Throws `TypeError` for a route without one, such as charts. */
export function collectionOf({ path }: Route, store: Store): Collection {
  const [word = ""] = path.split("/");
  if (!isCollection(word, store)) throw new TypeError(`the route ${path} has no collection`);
  return word;
}

function isCollection(word: string, store: Store): word is Collection {
  return Object.hasOwn(store, word);
}
