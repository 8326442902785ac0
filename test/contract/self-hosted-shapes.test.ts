import { describe, expect, test } from "vitest";
import { recordedExchange, recordedExchanges, type RecordedExchange } from "../support/recorded-exchanges.ts";
import {
  KNOWN_FLAWS,
  ROUTES,
  allDisagreementsOf,
  disagreementsOf,
  type SelfHostedExchange,
} from "../support/self-hosted-exchange.ts";

/** Routes that do not end in the id of a record. */
const WORDS = /^(?:GET (?:root|team|team\/\w+)|POST (?:charts\/series|dashboards\/validate))$/;

/**
 * Returns a recording in the form in which the sandbox reports an exchange. A refused request need not be as described, so
 * its body is left out.
 */
function exchangeOf({ request, response }: RecordedExchange): SelfHostedExchange {
  const path = request.path.replace(/^\/api\/v2\/?/, "").replace(/\?.*$/, "") || "root";
  const name = `${request.method} ${path}`;
  const route = WORDS.test(name) ? name : name.replace(/\/.*$/, "/{id}");
  const answered = typeof response.body === "string" ? response.body : JSON.stringify(response.body);
  const isAccepted = response.status === 200 && request.body !== undefined;
  return {
    route: ROUTES[route] === undefined ? undefined : route,
    status: response.status,
    answered,
    ...(isAccepted && { sent: request.body }),
  };
}

describe("the published description of the self-hosted API", () => {
  test("agrees with every recording of a real server, apart from the listed flaws", () => {
    const wrong = recordedExchanges().flatMap((each) =>
      disagreementsOf(exchangeOf(each)).map((fault) => `${each.number}: ${fault}`),
    );
    expect(wrong).toEqual([]);
  });

  test.each(KNOWN_FLAWS)("has a flaw that each of the recordings shows: $because", ({ at, recorded }) => {
    const silent = recorded.filter(
      (number) => !allDisagreementsOf(exchangeOf(recordedExchange(number))).some((fault) => at.test(fault)),
    );
    expect(silent).toEqual([]);
    expect(recorded).not.toEqual([]);
  });
});

describe("the check of exchanges against the published description (test/support/exchange-check.ts)", () => {
  const board = { id: "a".repeat(24), name: "Board", tiles: [], tags: ["t".repeat(33)], rows: 1 };

  test("checks the answer of a GET, of a refusal and of every route", () => {
    const seen = (route: string | undefined, status: number, answered: unknown) =>
      disagreementsOf({ route, status, answered: JSON.stringify(answered) });
    // Tags longer than the limit are a known flaw of responses only.
    expect(seen("GET dashboards/{id}", 200, { data: board })).toEqual([
      "answered GET dashboards/{id} /data/rows: is not described",
    ]);
    expect(seen("GET webhooks", 200, { data: [] })).toEqual(["answered GET webhooks /meta: is missing"]);
    expect(seen("PUT alerts/{id}", 400, { error: "no" })).toEqual([
      "answered PUT alerts/{id} 400 /message: is missing",
      "answered PUT alerts/{id} 400 /error: is not described",
    ]);
    expect(seen("POST alerts", 404, "gone")).toEqual(["answered POST alerts 404 : is no refusal"]);
    expect(seen(undefined, 200, {})).toEqual(["answered no route 200 : is no refusal"]);
    expect(seen("GET webhooks/{id}", 200, {})).toEqual(["GET webhooks/{id}: no such route"]);
  });

  test("checks the requests of the program, even if they are refused", () => {
    const refused = { status: 400, answered: JSON.stringify({ message: "no" }) };
    expect(disagreementsOf({ route: "POST dashboards", sent: board, ...refused })).toEqual([
      "sent POST dashboards /tags/0: is out of bounds",
    ]);
  });
});
