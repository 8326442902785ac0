import type { SandboxRecord } from "../store/record.ts";
import { without } from "../store/record.ts";
import type { KeptConnection, NewConnection } from "../schema/connection.ts";
import { keptConnectionSchema, newConnectionSchema } from "../schema/connection.ts";
import type { Call, Route, Stack } from "./route.ts";
import { bodyOf, checkId, existing, isoNow } from "./route.ts";

/** Connections: the whole list, create, get, update, delete, on self-hosted alone. */
export function connectionRoutes(stack: Stack): readonly Route[] {
  const { connections } = stack.store;
  const list = () => ({ is: "list", records: [...connections.values()].map(visible) }) as const;
  const get = ({ id }: Call) => shown(existing(stack, "connections", id));
  return [
    { method: "GET", path: "connections", writes: false, handle: list },
    { method: "POST", path: "connections", writes: true, handle: (call) => shown(create(stack, call)) },
    { method: "GET", path: "connections/:id", writes: false, handle: get },
    { method: "PUT", path: "connections/:id", writes: true, handle: (call) => shown(update(stack, call)) },
    { method: "DELETE", path: "connections/:id", writes: true, handle: (call) => remove(stack, call) },
  ];
}

function shown(connection: SandboxRecord) {
  return { is: "record", record: visible(connection) } as const;
}

/** A password is stored and never shown, not even as a mask. */
function visible(connection: SandboxRecord): object {
  return without(connection, ["password"]);
}

function create(stack: Stack, call: Call): SandboxRecord {
  const sent = bodyOf(stack, newConnectionSchema, call);
  const at = isoNow(stack);
  return keep(stack, sent, { id: stack.ids.id(), createdAt: at, updatedAt: at });
}

/** A password that is absent or empty keeps the stored one, whatever the new host (recordings 324, 325). */
function update(stack: Stack, call: Call): SandboxRecord {
  const { id } = call;
  checkId(stack, id);
  const sent = bodyOf(stack, keptConnectionSchema, call);
  const { hyperdxSettingPrefix, isPrometheusEndpoint, password, createdAt } = existing(stack, "connections", id);
  const kept = { hyperdxSettingPrefix, isPrometheusEndpoint, ...sent, password: sent.password || password };
  return keep(stack, kept, { id, createdAt, updatedAt: isoNow(stack) });
}

/** Never refused: what uses the connection points to nothing afterwards (recordings 334, 534). */
function remove(stack: Stack, { id }: Call) {
  existing(stack, "connections", id);
  stack.store.connections.delete(id);
  return { is: "deleted" } as const;
}

type Content = { readonly [Member in keyof (NewConnection & KeptConnection)]: unknown };

/** The record in the server's order; an empty prefix and an empty password are stored as none. */
function keep(
  { store }: Stack,
  { name, host, username, hyperdxSettingPrefix, isPrometheusEndpoint, password }: Content,
  { id, createdAt, updatedAt }: { readonly id: string; readonly createdAt: unknown; readonly updatedAt: string },
): SandboxRecord {
  const connection = {
    id,
    name,
    host,
    username,
    ...(hyperdxSettingPrefix ? { hyperdxSettingPrefix } : {}),
    ...(isPrometheusEndpoint === undefined ? {} : { isPrometheusEndpoint }),
    createdAt,
    updatedAt,
    ...(password ? { password } : {}),
  };
  store.connections.set(id, connection);
  return connection;
}
