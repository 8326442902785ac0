import { z } from "zod";
import { recordedExchange, type RecordedExchange } from "../support/recorded-exchanges.ts";

export interface Item {
  readonly id: string;
  readonly [member: string]: unknown;
}

const KINDS = ["dashboards", "alerts", "sources", "webhooks", "pipes", "connections", "saved-searches"] as const;
export type Kind = (typeof KINDS)[number];
/** A stack's records, by kind and in the order of their creation. */
export type State = Record<Kind, Item[]>;

export const item = z.custom<Item>((value) => z.looseObject({ id: z.string() }).safeParse(value).success);
const answered = z.object({ data: z.union([z.array(item), item.transform((one) => [one])]) });

export function emptyState(): State {
  return { dashboards: [], alerts: [], sources: [], webhooks: [], pipes: [], connections: [], "saved-searches": [] };
}

/** Returns the records in a recorded response. */
export function shownBy(number: number): Item[] {
  return structuredClone(answered.safeParse(recordedExchange(number).response.body).data?.data ?? []);
}

/** Returns the kind and the id in the path of a request. */
export function addressOf({ request }: RecordedExchange): { kind: Kind | undefined; id: string | undefined } {
  const [, , , word, named] = request.path.replace(/\?.*/, "").split("/");
  return { kind: KINDS.find((each) => each === word), id: named };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The id of the log source of the newest stack. */
export const LOGS = "6b05f897cf4fcae94a20019c";
const LINE = { displayType: "line", sourceId: LOGS, select: [{ aggFn: "count", whereLanguage: "lucene" }] };

export function dashboardOf(id: string, tiles: readonly Item[]): Item {
  const saved = { savedQuery: null, savedQueryLanguage: null, savedFilterValues: [] };
  return { id, name: "Watched", tiles, tags: [], filters: [], ...saved };
}

export function tileOf(id: string, config: object = LINE): Item {
  return { id, x: 0, y: 0, w: 6, h: 3, name: "Checkout latency", config };
}
