import { Refusal } from "../errors.ts";
import type { Call, Route, Stack } from "./route.ts";
import { checkId, pageOf } from "./route.ts";

/** Sources: the whole list in one response, on both variants. */
export function sourceRoutes({ store }: Stack): readonly Route[] {
  const list = () => ({ is: "list", records: [...store.sources.values()] }) as const;
  return [{ method: "GET", path: "sources", writes: false, handle: list }];
}

/** Webhooks: a paged list, on self-hosted alone (contract 1). */
export function webhookRoutes({ store }: Stack): readonly Route[] {
  return [{ method: "GET", path: "webhooks", writes: false, handle: (call) => pageOf(store.webhooks, call.query) }];
}

/** Pipes: get one, on managed alone (contract 4.2). */
export function pipeRoutes(stack: Stack): readonly Route[] {
  return [{ method: "GET", path: "pipes/:id", writes: false, handle: (call) => get(stack, call) }];
}

function get(stack: Stack, { id }: Call) {
  checkId(stack, id);
  const pipe = stack.store.pipes.get(id);
  if (pipe === undefined) throw new Refusal(404, "Pipe not found");
  return { is: "record", record: pipe } as const;
}
