import type { Operation, Route } from "../../core/resource-kind.ts";

/** Returns the routes that most kinds have: a list, and four operations on a record (docs/api.md#routes). */
export function stackRoutes<Word extends string>(word: Word) {
  const [collection, record] = [`{stack}/${word}`, `{stack}/${word}/{id}`] as const;
  return {
    list: { method: "GET", path: collection },
    get: { method: "GET", path: record },
    create: { method: "POST", path: collection },
    update: { method: "PUT", path: record },
    delete: { method: "DELETE", path: record },
  } as const satisfies Partial<Record<Operation, Route>>;
}
