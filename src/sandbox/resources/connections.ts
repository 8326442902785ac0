import { z } from "zod";
import { orderMembers, recordRoutes, showRecords, stampRecord, type Stack } from "./route.ts";
import { omitMembers, type SandboxRecord } from "../store.ts";

/**
 * The routes of connections, only on self-hosted: the whole list, create, get, update, delete
 * (docs/api.md#connections). The server deletes a connection even if sources reference it.
 */
export const connectionRoutes = recordRoutes("connections", {
  schema: () => newConnection,
  updateSchema: () => keptConnection,
  record: connectionRecord,
  visible,
  list,
});

const ORDER = "name host username hyperdxSettingPrefix isPrometheusEndpoint createdAt updatedAt password";

/** The body of a create; empty strings are accepted. */
const newConnection = z.object({
  name: z.string(),
  host: z.string(),
  username: z.string(),
  hyperdxSettingPrefix: z
    .string()
    .regex(/^[a-z0-9_]+$/i, "Invalid")
    .nullish(),
  isPrometheusEndpoint: z.boolean().optional(),
  password: z.string().optional(),
});

/** The body of an update, in which an empty prefix clears the stored prefix. */
const keptConnection = newConnection.extend({
  hyperdxSettingPrefix: z.union([z.literal(""), newConnection.shape.hyperdxSettingPrefix]),
});

/** Lists the connections. `meta` has the ids of connections that cannot be returned; without such connections, `meta` is absent. */
function list({ store }: Stack) {
  const connections = [...store.connections.values()];
  const skippedIds = connections.filter((connection) => visible(connection) === undefined).map(({ id }) => id);
  const meta = skippedIds.length === 0 ? {} : { meta: { skipped: skippedIds.length, skippedIds } };
  return { is: "list", records: showRecords(connections, visible), ...meta } as const;
}

/**
 * Returns a connection as responses show it: without the password, which is stored but never returned, not even masked. Undefined
 * for a connection without a user name, which cannot be returned.
 */
function visible(connection: SandboxRecord): object | undefined {
  return connection["username"] === undefined ? undefined : omitMembers(connection, ["password"]);
}

/**
 * Returns the record of a connection. If an update omits a member or has an empty password, the stored value stays, even with a
 * new host and user. An empty prefix, or an empty password of a new connection, is stored as absent.
 */
function connectionRecord(body: z.output<typeof keptConnection>, stack: Stack, stored?: SandboxRecord): SandboxRecord {
  const connection = { ...stored, ...body };
  const hyperdxSettingPrefix = connection.hyperdxSettingPrefix || undefined;
  const password = body.password || stored?.["password"] || undefined;
  return orderMembers(ORDER, stampRecord({ ...connection, hyperdxSettingPrefix, password }, stack, stored));
}
