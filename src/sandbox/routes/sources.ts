import { Refusal } from "../errors.ts";
import type { SandboxRecord } from "../store/record.ts";
import { without } from "../store/record.ts";
import type { Source } from "../schema/source.ts";
import { sourceSchema } from "../schema/source.ts";
import { isConnection } from "./references.ts";
import type { Call, Route, Stack } from "./route.ts";
import { bodyOf, checkId, existing } from "./route.ts";

/** Sources: the whole list in one response, create, get, update, delete, on both variants. */
export function sourceRoutes(stack: Stack): readonly Route[] {
  const list = () => ({ is: "list", records: [...stack.store.sources.values()] }) as const;
  return [
    { method: "GET", path: "sources", writes: false, handle: list },
    { method: "POST", path: "sources", writes: true, handle: (call) => create(stack, call) },
    { method: "GET", path: "sources/:id", writes: false, handle: ({ id }) => shown(existing(stack, "sources", id)) },
    { method: "PUT", path: "sources/:id", writes: true, handle: (call) => update(stack, call) },
    { method: "DELETE", path: "sources/:id", writes: true, handle: (call) => remove(stack, call) },
  ];
}

function shown(source: SandboxRecord) {
  return { is: "record", record: source } as const;
}

function create(stack: Stack, call: Call) {
  return keep(stack, stack.ids.id(), bodyOf(stack, sourceSchema(stack.variant), call));
}

/** An update replaces the whole source: what it leaves out is gone, and its kind may change (recordings 389, 391). */
function update(stack: Stack, call: Call) {
  checkId(stack, call.id);
  const sent = bodyOf(stack, sourceSchema(stack.variant), call);
  existing(stack, "sources", call.id);
  return keep(stack, call.id, sent);
}

/** Only the connection is checked: other sources are named unseen, even ones that are no ids (recordings 360 to 362). */
function keep(stack: Stack, id: string, sent: Source) {
  if (!stack.ids.isId(sent.connection)) throw new Refusal(400, "connection must be a valid connection id");
  if (!isConnection(stack, sent.connection)) throw new Refusal(400, "connection must be an existing connection id");
  const source = { id, ...without(sent, ["id"]) };
  stack.store.sources.set(id, source);
  return shown(source);
}

/** Never refused, and it takes nothing along (recordings 525 to 533). */
function remove(stack: Stack, { id }: Call) {
  existing(stack, "sources", id);
  stack.store.sources.delete(id);
  return { is: "deleted" } as const;
}
