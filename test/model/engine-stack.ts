import { systemClock } from "../../src/client/clock.ts";
import { createServer } from "../../src/sandbox/http/server.ts";
import { createGuard, resolveIdentity } from "../../src/sandbox/identity.ts";
import { normaliseSandboxOptions } from "../../src/sandbox/options.ts";
import { createStats } from "../../src/sandbox/http/serve-call.ts";
import { createIdGenerator, createStore, type SandboxRecord, type Store } from "../../src/sandbox/store.ts";
import { instantClock } from "../support/instant-clock.ts";
import { alert, dashboard, source, tileWith, webhook } from "../support/stack-records.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { isTile, type Id, type ModelRecord } from "./stack.ts";

/** Sees a request before the stack. What it throws is the failure of the request. */
export type Intercept = (method: string, path: string, proceed: () => Promise<Response>) => Promise<Response>;

/** A sandbox in this process that needs no port: `fetch` reaches it by the name of its host. */
export interface EngineStack {
  readonly letter: string;
  readonly url: string;
  readonly apiKey: string;
  readonly store: Store;
  intercept: Intercept;
  answer(request: Request): Promise<Response>;
}

const CONNECTION = "c".repeat(24);
const SOURCE = "d".repeat(24);
const WEBHOOK = "e".repeat(24);

/** What dashboards and alerts need. The ids are the same on every stack, because no sequence is about them. */
export const needed = {
  connections: [{ id: CONNECTION, name: "Main", host: "http://db:8123", username: "reader" }],
  sources: [source(SOURCE, "Logs", CONNECTION)],
  webhooks: [webhook(WEBHOOK, "pager")],
};

/** Makes a stack that has only what dashboards and alerts need. */
export function startEngineStack(letter: string): EngineStack {
  const seed = structuredClone(needed);
  const settings = normaliseSandboxOptions({ variant: "self-hosted", seed });
  const { strict, now } = settings;
  const ids = createIdGenerator(settings.ids, now);
  const identity = resolveIdentity({ variant: "self-hosted" }, ids);
  const store = createStore(seed);
  const stack = { variant: "self-hosted", strict, identity, store, ids, now } as const;
  const guard = createGuard("self-hosted", identity);
  const service = {
    stack: { ...stack, unlistedConnections: new Set<string>() },
    guard,
    limiter: undefined,
    stats: createStats(),
  };
  const app = createServer(service, settings, {});
  const made: EngineStack = {
    letter,
    url: `http://${letter}.test`,
    apiKey: identity.apiKey ?? "",
    store,
    intercept: (_method, _path, proceed) => proceed(),
    answer: (request) =>
      made.intercept(request.method, new URL(request.url).pathname, async () => app.fetch(request, { incoming: {} })),
  };
  return made;
}

/** Lets `fetch` reach these stacks while a function runs, and time pass at once. */
export async function withStacks<Result>(stacks: readonly EngineStack[], run: () => Promise<Result>): Promise<Result> {
  const [real, clock] = [globalThis.fetch, { ...systemClock }];
  Object.assign(systemClock, instantClock(Date.now()));
  globalThis.fetch = async (url, init) => {
    const { dispatcher: _, ...rest } = { dispatcher: undefined, ...init };
    const request = new Request(url, rest);
    const stack = stacks.find((each) => request.url.startsWith(each.url));
    if (stack === undefined) throw new TypeError("fetch failed");
    return stack.answer(request);
  };
  try {
    return await run();
  } finally {
    globalThis.fetch = real;
    Object.assign(systemClock, clock);
  }
}

/** Which id of a stack stands for which id of the model. */
export class IdPairs {
  readonly #real = new Map<Id, string>();
  readonly #model = new Map<string, Id>();

  pair(id: Id, real: string): void {
    this.#real.set(id, real);
    this.#model.set(real, id);
  }

  /** An id that only people and archives have given has the same letter and number. */
  realOf(id: Id): string {
    if (!this.#real.has(id)) this.pair(id, id.charAt(0).repeat(16) + id.slice(1).padStart(8, "0"));
    return this.#real.get(id) ?? "";
  }

  modelOf(real: string): Id | undefined {
    return this.#model.get(real);
  }

  /** Replaces ids of the model by those of a stack. */
  inText(text: string): string {
    return text.replaceAll(/([#])([a-z]\d+)/g, (_, __, id: Id) => this.realOf(id));
  }
}

/** Returns the record of a stack that stands for a record of the model. */
export function bodyOfRecord(record: ModelRecord, ids: IdPairs): JsonObject {
  const id = ids.realOf(record.id);
  const { parts } = record;
  if (record.kind === "alert") {
    const [, name = "", on = "", tile = ""] = /^(.*) on @(\S+) @(\S+)$/.exec(parts.get("name") ?? "") ?? [];
    const threshold = Number(parts.get("threshold")?.replace("above ", ""));
    const watched = { id: ids.realOf(on), tiles: [{ id: ids.realOf(tile) }] };
    return alert(id, name, watched, WEBHOOK, { threshold });
  }
  const tiles = [...parts].flatMap(([part, text]) => (isTile(part) ? [tileOf(ids.realOf(part), text, ids)] : []));
  const tags = parts.get("tags");
  return dashboard(id, parts.get("name") ?? "", SOURCE, {
    tiles,
    tags: tags === undefined ? [] : [tags],
  });
}

function tileOf(id: string, text: string, ids: IdPairs): JsonObject {
  const [name = "", content = ""] = text.split(": ");
  const select = [{ aggFn: "count", where: content, whereLanguage: "lucene" }];
  if (content.startsWith("see ")) return tileWith(id, name, { displayType: "markdown", markdown: ids.inText(content) });
  if (!content.startsWith("link"))
    return tileWith(id, name, { displayType: "line", sourceId: SOURCE, fillNulls: true, select });
  const to = /@(.+)$/.exec(content)?.[1];
  const onClick = {
    type: "dashboard",
    target: { mode: "id", id: to === undefined ? "" : ids.realOf(to) },
    whereLanguage: "sql",
  };
  const counted = [{ aggFn: "count", where: "", whereLanguage: "lucene" }];
  return tileWith(id, name, {
    displayType: "table",
    sourceId: SOURCE,
    select: counted,
    ...(to !== undefined && { onClick }),
  });
}

/** Returns the record of the model that a record of a stack stands for. An id that the model does not know keeps its form. */
export function recordOfBody(kind: ModelRecord["kind"], body: SandboxRecord, ids: IdPairs): ModelRecord {
  const model = (id: unknown): string => ids.modelOf(String(id)) ?? String(id);
  if (kind === "alert") {
    const { name, dashboardId, tileId, threshold } = body;
    const members = [
      ["name", `${String(name)} on @${model(dashboardId)} @${model(tileId)}`],
      ["threshold", `above ${String(threshold)}`],
    ] as const;
    return { id: model(body.id), kind, parts: new Map(members) };
  }
  const {
    name,
    tags = [],
    tiles,
  } = body as unknown as {
    readonly name: string;
    readonly tags?: readonly string[];
    readonly tiles: readonly Tile[];
  };
  const parts = tiles.map((tile) => [model(tile.id), `${tile.name}: ${contentOfTile(tile, model)}`] as const);
  const members = [["name", name] as const, ...tags.map((tag) => ["tags", tag] as const)];
  return { id: model(body.id), kind, parts: new Map([...members, ...parts]) };
}

interface Tile {
  readonly id: string;
  readonly name: string;
  readonly config: {
    readonly displayType: string;
    readonly markdown?: string;
    readonly select?: readonly { readonly where?: string }[];
    readonly onClick?: { readonly target: { readonly id: string } };
  };
}

function contentOfTile({ config }: Tile, model: (id: unknown) => string): string {
  if (config.displayType === "markdown")
    return (config.markdown ?? "").replace(/[0-9a-f]{24}/, (id) => `#${model(id)}`);
  if (config.displayType === "table")
    return config.onClick === undefined ? "link @" : `link @${model(config.onClick.target.id)}`;
  return config.select?.[0]?.where ?? "";
}
