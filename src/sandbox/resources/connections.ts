import { z } from "zod";
import type { Call, Route, Stack } from "./route.ts";
import { bodyOf, checkId, existing, inOrder, isoNow, recordReply, recordRoutes, shownOf } from "./route.ts";
import type { SandboxRecord } from "../store/store.ts";
import { without } from "../store/store.ts";

/**
 * Returns the routes of connections: the whole list, create, get, update, delete, only on self-hosted (docs/api.md#connections).
 */
export function connectionRoutes(stack: Stack): readonly Route[] {
  return recordRoutes(stack, "connections", {
    list: () => list(stack),
    create: (call) => create(stack, call),
    update: (call) => update(stack, call),
    // The server never refuses this, even if dangling references are left.
    remove: ({ id }) => stack.store.connections.delete(existing(stack, "connections", id).id),
    shown: (connection) => recordReply(visible(connection)),
  });
}

const serverMember = z.unknown().optional();
const PREFIX = /^[a-z0-9_]+$/i;

/** The members of a connection in the order of responses; empty strings are accepted. */
const MEMBERS = z.object({
  id: serverMember,
  name: z.string(),
  host: z.string(),
  username: z.string(),
  hyperdxSettingPrefix: z.string().regex(PREFIX, "Invalid").nullish(),
  isPrometheusEndpoint: z.boolean().optional(),
  createdAt: serverMember,
  updatedAt: serverMember,
  password: z.string().optional(),
});

const newConnection = MEMBERS.omit({ id: true, createdAt: true, updatedAt: true });

/** The body of an update, in which an empty prefix clears the stored prefix. */
const keptConnection = newConnection.extend({
  hyperdxSettingPrefix: z.union([z.literal(""), newConnection.shape.hyperdxSettingPrefix]),
});

/** Lists the connections. The reply's `meta` reports the ids of records that cannot be returned; it is absent if there are none. */
function list({ store }: Stack) {
  const connections = [...store.connections.values()];
  const skippedIds = connections.filter((connection) => visible(connection) === undefined).map(({ id }) => id);
  const meta = skippedIds.length === 0 ? {} : { meta: { skipped: skippedIds.length, skippedIds } };
  return { is: "list", records: shownOf(connections, visible), ...meta } as const;
}

/**
 * Returns a connection as responses show it: without the password, which is stored but never returned, not even masked. Undefined
 * for a connection without a user name, which cannot be returned.
 */
function visible(connection: SandboxRecord): object | undefined {
  return connection["username"] === undefined ? undefined : without(connection, ["password"]);
}

function create(stack: Stack, call: Call): SandboxRecord {
  const body = bodyOf(stack, newConnection, call);
  const createdAt = isoNow(stack);
  return keep(stack, { ...body, id: stack.ids.id(), createdAt, updatedAt: createdAt });
}

/** Updates a connection. If a member is omitted or the password is empty, the stored value stays, even with a new host and user. */
function update(stack: Stack, call: Call): SandboxRecord {
  const { id } = call;
  checkId(stack, id);
  const body = bodyOf(stack, keptConnection, call);
  const storedConnection = existing(stack, "connections", id);
  const password = body.password || storedConnection["password"];
  return keep(stack, { ...storedConnection, ...body, password, id, updatedAt: isoNow(stack) });
}

/** Stores a connection. An empty prefix and an empty password are stored as absent. */
function keep({ store }: Stack, connection: SandboxRecord): SandboxRecord {
  const { id, hyperdxSettingPrefix, password } = connection;
  const set = { hyperdxSettingPrefix: hyperdxSettingPrefix || undefined, password: password || undefined };
  const record = { id, ...inOrder(MEMBERS, { ...connection, ...set }) };
  store.connections.set(id, record);
  return record;
}
