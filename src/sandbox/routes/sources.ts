import { Refusal } from "../errors.ts";
import type { SandboxRecord } from "../record.ts";
import { parse } from "../schema/parse.ts";
import { sourceSchema } from "../schema/source.ts";
import { isConnection } from "./references.ts";
import type { Call, Route, Stack } from "./route.ts";
import { checkId, existing } from "./route.ts";

/** Sources: the whole list in one response, create, get, update, delete, on both variants. */
export function sourceRoutes(stack: Stack): readonly Route[] {
  const list = () => ({ is: "list", records: [...stack.store.sources.values()] }) as const;
  return [
    { method: "GET", path: "sources", writes: false, handle: list },
    { method: "POST", path: "sources", writes: true, handle: ({ body }) => write(stack, stack.ids.id(), body) },
    { method: "GET", path: "sources/:id", writes: false, handle: ({ id }) => shown(existing(stack, "sources", id)) },
    { method: "PUT", path: "sources/:id", writes: true, handle: (call) => update(stack, call) },
    { method: "DELETE", path: "sources/:id", writes: true, handle: (call) => remove(stack, call) },
  ];
}

function shown(source: SandboxRecord) {
  return { is: "record", record: source } as const;
}

/** An update replaces the whole source: what it leaves out is gone, and its kind may change (recordings 389, 391). */
function update(stack: Stack, { id, body }: Call) {
  checkId(stack, id);
  parse(sourceSchema, body, "Body");
  existing(stack, "sources", id);
  return write(stack, id, body);
}

/** Only the connection is checked: other sources are named unseen, even ones that are no ids (recordings 360 to 362). */
function write(stack: Stack, id: string, body: unknown) {
  const sent = parse(sourceSchema, body, "Body");
  if (!stack.ids.isId(sent.connection)) throw new Refusal(400, "connection must be a valid connection id");
  if (!isConnection(stack, sent.connection)) throw new Refusal(400, "connection must be an existing connection id");
  const source = { id, ...sent };
  stack.store.sources.set(id, source);
  return shown(source);
}

/** Never refused, and it takes nothing along (recordings 525 to 533). */
function remove(stack: Stack, { id }: Call) {
  existing(stack, "sources", id);
  stack.store.sources.delete(id);
  return { is: "deleted" } as const;
}
