import { Refusal } from "../errors.ts";
import { isUuid } from "../store/ids.ts";
import type { Route, Stack } from "./route.ts";

/** Pipes: the whole list and get one, only on managed (docs/api.md#managed). Their ids are UUIDs on every stack. */
export function pipeRoutes({ store }: Stack): readonly Route[] {
  const list = () => ({ is: "list", records: [...store.pipes.values()] }) as const;
  return [
    { method: "GET", path: "pipes", writes: false, handle: list },
    { method: "GET", path: "pipes/:id", writes: false, handle: ({ id }) => get(store.pipes, id) },
  ];
}

function get(pipes: Stack["store"]["pipes"], id: string) {
  if (!isUuid(id)) throw new Refusal(400, "Params validation failed: id: Invalid uuid");
  const pipe = pipes.get(id);
  if (pipe === undefined) throw new Refusal(404, "Pipe not found");
  return { is: "record", record: pipe } as const;
}
