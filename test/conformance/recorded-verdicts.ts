import { recordedExchanges, type RecordedExchange } from "../support/recorded-exchanges.ts";
import { isObject, memberAt } from "./compare.ts";
import { pathsIn, placeOf } from "./mutations.ts";
import type { Json } from "./rule.ts";
import { clausesOf, type Clause } from "./sentences.ts";

/** What real servers said of a value at a place in a body. */
export interface Verdict {
  /** The messages about the value, from refusals. */
  readonly refused: Set<string>;
  /** Whether a body with the value was accepted. */
  accepted: boolean;
}

const CREATE = /^POST \/api\/v2\/(dashboards|alerts|sources|webhooks|saved-searches|connections)$/;

/** Returns the verdicts of all recorded creates, by place and value. What a missing member means depends on the others. */
export function recordedVerdicts(): ReadonlyMap<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  for (const exchange of recordedExchanges()) {
    const { method, path: address } = exchange.request;
    const kind = CREATE.exec(`${method} ${address}`)?.[1];
    const body = exchange.request.body as Json;
    if (kind === undefined || !isObject(body)) continue;
    const verdictOn = (path: readonly string[]): Verdict => {
      const key = verdictKey(kind, body, path, memberAt(body, path.join(".")));
      const verdict = verdicts.get(key) ?? { refused: new Set(), accepted: false };
      verdicts.set(key, verdict);
      return verdict;
    };
    if (exchange.response.status === 200) for (const path of pathsIn(body)) verdictOn(path).accepted = true;
    for (const { path, message } of refusalOf(exchange)) {
      if (memberAt(body, path) !== undefined) verdictOn(path.split(".")).refused.add(message);
    }
  }
  return verdicts;
}

/** Returns the mistakes of all recorded refusals. */
export function recordedClauses(): Clause[] {
  return recordedExchanges().flatMap(refusalOf);
}

export function verdictKey(kind: string, body: Json, path: readonly string[], value: Json | undefined): string {
  return `${placeOf(kind, body, path)} = ${JSON.stringify(value)}`;
}

function refusalOf({ response }: RecordedExchange): Clause[] {
  const message = memberAt(response.body as Json, "message");
  return response.status === 400 && typeof message === "string" ? clausesOf(message) : [];
}
