import { Refusal } from "../refusal.ts";
import { checkId } from "./check-id.ts";
import type { Call, Route, Stack } from "./route.ts";

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
