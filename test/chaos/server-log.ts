import type { MovedKind } from "../support/independent-check.ts";
import type { Interceptor } from "../../src/sandbox/start-sandbox.ts";
import { wholeLines } from "./journal-lines.ts";

/** Header that marks a request of the test itself, which stands for somebody else who works on the target. */
export const SOMEBODY_ELSE = "x-somebody-else";

/** The kinds that an import of the sample writes. */
export const WRITTEN_KINDS: readonly MovedKind[] = ["dashboards", "saved-searches", "alerts"];

/** A record that is on the target. */
export interface LiveRecord {
  readonly kind: MovedKind;
  readonly id: string;
  readonly name: string;
  readonly dashboardId: string;
  /** The number of its links to other dashboards and sources. */
  readonly links: number;
  /** The number of the process that created it, counted from 0. */
  readonly process: number;
}

/**
 * The requests that a stack has carried out. Faults happen in front of this log, so a request whose response is lost is still
 * in it.
 */
export interface ServerLog {
  readonly intercept: Interceptor;
  /** The records on the target, by id in lower case. */
  readonly live: ReadonlyMap<string, LiveRecord>;
  /** The kind and id of each record that was ever created, as `dashboards ID`. */
  readonly created: ReadonlySet<string>;
  readonly updated: ReadonlySet<string>;
  /** Writes that arrived before the journal had an intent for them. */
  readonly unannounced: readonly string[];
  /** Returns the number of refused updates of dashboards. */
  readonly refused: () => number;
  nextProcess(): void;
  readonly process: () => number;
}

/**
 * Creates the log of a stack.
 * @param readJournal returns the journal's current text
 * @param refusals number of updates of dashboards that the stack refuses
 */
export function createServerLog(readJournal: () => string, refusals: number): ServerLog {
  const live = new Map<string, LiveRecord>();
  const created = new Set<string>();
  const updated = new Set<string>();
  const unannounced: string[] = [];
  let process = 0;
  let refused = 0;

  const announce = (journal: string, write: string, matches: (line: Line) => boolean): void => {
    const intents = wholeLines(journal).filter(({ type }) => type === "intent");
    if (!intents.some(matches)) unannounced.push(`${write} had no intent line in the journal when it came`);
  };
  const carriedOut = (write: Write, body: Body, journal: string | undefined): void => {
    const { kind, method } = write;
    const id = (method === "POST" ? text(body["id"]) : write.id).toLowerCase();
    if (method === "DELETE") return removeWithAlerts(live, id);
    const name = text(body["name"]);
    if (method === "POST") {
      created.add(`${kind} ${id}`);
      live.set(id, {
        kind,
        id,
        name,
        dashboardId: text(body["dashboardId"]).toLowerCase(),
        links: linksIn(body),
        process,
      });
      if (journal === undefined) return;
      const isCreate = (line: Line): boolean =>
        line.write === "create" && line.name === name && line.key?.startsWith(`${kind}/`) === true;
      announce(journal, `the create of "${name}"`, isCreate);
      return;
    }
    updated.add(`${kind} ${id}`);
    const before = live.get(id);
    if (before) live.set(id, { ...before, name, links: linksIn(body) });
    if (journal === undefined) return;
    const isUpdate = (line: Line): boolean =>
      (line.write === "link" || line.write === "update") && line.targetId?.toLowerCase() === id;
    announce(journal, `the update of "${name}"`, isUpdate);
  };

  return {
    intercept: async ({ route, method, target, headers }, proceed) => {
      const write = writeOf(route, method, target);
      if (write === undefined) return proceed();
      const isProgram = headers[SOMEBODY_ELSE] === undefined;
      // Read the journal before the request is served: a line that is written during the request is too late.
      const journal = isProgram ? readJournal() : undefined;
      if (isProgram && route === "PUT dashboards/{id}" && refused < refusals) {
        refused += 1;
        return new Response('{"error":"this link is not liked"}', {
          status: 400,
          headers: { "Content-Type": "application/json" },
        });
      }
      const answer = await proceed();
      if (answer.ok) carriedOut(write, await bodyOf(answer), journal);
      return answer;
    },
    live,
    created,
    updated,
    unannounced,
    refused: () => refused,
    nextProcess: () => void (process += 1),
    process: () => process,
  };
}

type Line = ReturnType<typeof wholeLines>[number];
type Body = Readonly<Record<string, unknown>>;

interface Write {
  readonly kind: MovedKind;
  readonly method: string;
  readonly id: string;
}

function writeOf(route: string, method: string, target: string): Write | undefined {
  const kind = WRITTEN_KINDS.find((each) =>
    [`POST ${each}`, `PUT ${each}/{id}`, `DELETE ${each}/{id}`].includes(route),
  );
  if (kind === undefined) return undefined;
  return { kind, method, id: target.split("?")[0]?.split("/").at(-1) ?? "" };
}

/** Removes a record and the alerts on it, as the server does for a dashboard. */
function removeWithAlerts(live: Map<string, LiveRecord>, id: string): void {
  live.delete(id);
  for (const record of live.values()) if (record.dashboardId === id) live.delete(record.id);
}

async function bodyOf(answer: Response): Promise<Body> {
  const whole = await answer
    .clone()
    .json()
    .catch(() => ({}));
  const { result, data } = whole as { result?: Body; data?: Body };
  return result ?? data ?? {};
}

/** Returns how many tiles of a dashboard link to something by its id. */
export function linksIn({ tiles }: Body): number {
  return JSON.stringify(tiles ?? []).match(/"onClick":\{[^{}]*"target":\{[^{}]*"id":/gu)?.length ?? 0;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
