import { z } from "zod";
import { orderMembers, recordRoutes, showRecords, stampRecord, type Stack } from "./route.ts";
import { omitMembers, type SandboxRecord } from "../store.ts";

/** Only on self-hosted stacks (docs/api.md#connections). The server deletes a connection even if sources reference it. */
export const connectionRoutes = recordRoutes("connections", {
  schema: () => newConnection,
  updateSchema: () => keptConnection,
  record: connectionRecord,
  visible,
  list,
});

const ORDER = "name host username hyperdxSettingPrefix isPrometheusEndpoint createdAt updatedAt password";

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

/** An empty prefix in an update clears the stored prefix. */
const keptConnection = newConnection.extend({
  hyperdxSettingPrefix: z.union([z.literal(""), newConnection.shape.hyperdxSettingPrefix]),
});

function list({ store }: Stack) {
  const connections = [...store.connections.values()];
  const skippedIds = connections.filter((connection) => visible(connection) === undefined).map(({ id }) => id);
  const meta = skippedIds.length === 0 ? {} : { meta: { skipped: skippedIds.length, skippedIds } };
  return { is: "list", records: showRecords(connections, visible), ...meta } as const;
}

/** The password is stored but never returned. A connection without a user name cannot be returned. */
function visible(connection: SandboxRecord): object | undefined {
  return connection["username"] === undefined ? undefined : omitMembers(connection, ["password"]);
}

/** An update without a password keeps the stored password, even with a new host and user. */
function connectionRecord(body: z.output<typeof keptConnection>, stack: Stack, stored?: SandboxRecord): SandboxRecord {
  const connection = { ...stored, ...body };
  const hyperdxSettingPrefix = connection.hyperdxSettingPrefix || undefined;
  const password = body.password || stored?.["password"] || undefined;
  return orderMembers(ORDER, stampRecord({ ...connection, hyperdxSettingPrefix, password }, stack, stored));
}
