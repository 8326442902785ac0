import {
  NOTHING,
  board,
  connection,
  line,
  logSource,
  metricSource,
  savedSearch,
  sessionSource,
  tile,
  times,
  traceSource,
  webhook,
} from "./bodies.ts";
import type { Answer, Call, StackAddress } from "./call-stack.ts";
import { isObject, memberAt } from "./compare.ts";
import type { Json, JsonObject } from "./rule.ts";

/** The stack on which rules are tried, and the records on it, by name. */
export interface World {
  readonly call: Call;
  readonly variant: StackAddress["variant"];
  /** Replaces each `@` name in a value. */
  resolve(value: Json): Json;
  /** Sends a create, update or delete. Stores the record under this name, and notes a created record for `clear`. */
  write(method: string, path: string, body: Json | undefined, name: string): Promise<Answer>;
  record(name: string): Json | undefined;
  keep(name: string, record: Json): void;
  /** Deletes the records that were created since `mark`. */
  clear(mark: number): Promise<void>;
  mark(): number;
}

const KINDS = ["connections", "sources", "webhooks", "saved-searches", "dashboards", "alerts"];
const HOOKS = 12;

/**
 * Creates the records that every rule can use. A managed stack does not list connections, so the connection is that of a
 * source.
 */
export async function openWorld(call: Call, variant: StackAddress["variant"]): Promise<World> {
  const world = emptyWorld(call, variant);
  try {
    await fill(world);
  } catch (error) {
    await world.clear(0);
    throw error;
  }
  return world;
}

async function fill(world: World): Promise<void> {
  const make = async (name: string, kind: string, body: JsonObject): Promise<void> => {
    const { status, words } = await world.write("POST", kind, body, name);
    if (status !== 200) throw new Error(`${kind} "${name}" cannot be made: ${status} ${words}`);
  };
  if (world.variant === "self-hosted") {
    await make("connection", "connections", connection());
    await make("second", "connections", connection({ name: "Conformance store 2" }));
  } else {
    const { content } = await world.call("GET", "sources");
    world.keep("connection", { id: memberAt(content, "records.0.connection") ?? "" });
  }
  await make("log", "sources", logSource());
  await make("trace", "sources", traceSource());
  await make("metric", "sources", metricSource());
  await make("session", "sources", sessionSource());
  for (const number of times(HOOKS, (index) => index))
    await make(`hook${number}`, "webhooks", webhook({ name: `Conformance ${number}` }));
  await make("search", "saved-searches", savedSearch());
  await make("board", "dashboards", board({ tiles: [tile(line())] }));
}

function emptyWorld(call: Call, variant: StackAddress["variant"]): World {
  const records = new Map<string, Json>([["nothing", { id: NOTHING }]]);
  const made: { readonly kind: string; readonly id: string }[] = [];

  const textOf = (name: string, path: string): Json | undefined => memberAt(records.get(name), path || "id");
  const resolve = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolve);
    if (isObject(value)) {
      const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
      return Object.fromEntries(members.map(([member, inner]) => [member, resolve(inner)]));
    }
    if (typeof value !== "string") return value;
    return value.replaceAll(/@([a-z]\w*)((?:\.\w+)*)/gi, (whole: string, name: string, path: string) => {
      const text = textOf(name, path.slice(1));
      return typeof text === "string" ? text : whole;
    });
  };

  return {
    call,
    variant,
    resolve,
    record: (name) => records.get(name),
    keep: (name, record) => records.set(name, record),
    mark: () => made.length,
    async write(method, path, body, name) {
      const answer = await call(method, path, body === undefined ? undefined : resolve(body));
      const id = memberAt(answer.content, "id");
      if (answer.status === 200 && typeof id === "string") {
        records.set(name, answer.content);
        if (method === "POST" && KINDS.includes(path)) made.push({ kind: path, id });
      }
      return answer;
    },
    async clear(mark) {
      const removed = made.splice(mark);
      // A webhook cannot be deleted while an alert uses it, so alerts are deleted first.
      removed.sort((one, other) => KINDS.indexOf(other.kind) - KINDS.indexOf(one.kind));
      const notRemoved: string[] = [];
      for (const { kind, id } of removed) {
        const status = await call("DELETE", `${kind}/${id}`).then(
          (answer) => answer.status,
          (error: unknown) => String(error),
        );
        if (status !== 200 && status !== 404) notRemoved.push(`${kind}/${id} (${status})`);
      }
      if (notRemoved.length > 0) throw new Error(`not removed: ${notRemoved.join(", ")}`);
    },
  };
}
