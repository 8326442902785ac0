import { expect, test } from "vitest";
import { FAULT_ROUTES, appliesToRoute, parseFaults } from "../../../../src/sandbox/faults/plan.ts";
import { createIdGenerator, createStore } from "../../../../src/sandbox/store/store.ts";
import type { SandboxVariant } from "../../../../src/sandbox/options.ts";
import { routeTable } from "../../../../src/sandbox/resources/route-table.ts";
import { routeName } from "../../../../src/sandbox/resources/route.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";

const withRule = (rule: unknown) => ({ rules: [{ fault: "500" }, rule] });
const SECRET = "s3cret-value";

test("parseFaults returns a valid fault plan unchanged", () => {
  const plan = {
    seed: 42,
    quietAfter: 9,
    rules: [
      { fault: "reset-after", route: "POST dashboards", rate: 0.1 },
      { fault: "429", nth: [3, 7], headers: false },
      { fault: "slow", ms: 5, route: "GET *", times: 2 },
      { fault: "stale-list", nth: 1, route: "POST *" },
      { fault: "drop-field", field: "tiles.config", route: "PUT dashboards/{id}" },
      { fault: "page-skip" },
    ],
  };
  expect(parseFaults(plan)).toEqual(plan);
  expect(parseFaults({ rules: [] })).toEqual({ rules: [] });
});

const refused: readonly (readonly [string, unknown, string])[] = [
  ["a text instead of an object", SECRET, "faults: "],
  ["no rules", {}, "faults.rules: "],
  ["an unknown member", { rules: [], sede: 1 }, "faults: "],
  ["a seed that is no whole number", { rules: [], seed: 0.5 }, "faults.seed: "],
  ["an unknown fault", withRule({ fault: SECRET }), "faults.rules.1.fault: "],
  ["a rate over 1", withRule({ fault: "500", rate: 1.5 }), "faults.rules.1.rate: "],
  ["an nth of 0", withRule({ fault: "500", nth: 0 }), "faults.rules.1.nth: "],
  ["an empty list", withRule({ fault: "500", nth: [] }), "faults.rules.1.nth: "],
  ["a rate and an nth", withRule({ fault: "500", nth: 1, rate: 1 }), "faults.rules.1.nth: "],
  ["a member of another fault", withRule({ fault: "500", ms: 5 }), "faults.rules.1: "],
  ["no field", withRule({ fault: "drop-field" }), "faults.rules.1.field: "],
  ["a path with an empty part", withRule({ fault: "drop-field", field: "a..b" }), "faults.rules.1.field: "],
  ["a wait that no timer takes", withRule({ fault: "slow", ms: 2 ** 31 }), "faults.rules.1.ms: "],
  ["a route that does not exist", withRule({ fault: "500", route: `POST ${SECRET}` }), "faults.rules.1.route: "],
  ["a route without that fault", withRule({ fault: "stale-list", route: "GET dashboards" }), "faults.rules.1.route: "],
  ["a list without pages", withRule({ fault: "page-skip", route: "GET dashboards" }), "faults.rules.1.route: "],
];

test.each(refused)("a fault plan with %s is refused by the path of the member, without its value", (_, plan, path) => {
  const refusal = expect.objectContaining({ code: "sandbox-usage", message: expect.stringContaining(` ${path}`) });
  expect(() => parseFaults(plan)).toThrow(refusal);
  expect(() => parseFaults(plan)).not.toThrow(SECRET);
});

test("startSandbox refuses an invalid fault plan", async () => {
  const starting = startSandbox({ variant: "managed", faults: { rules: [{ fault: "500", nth: 0 }] } });
  await expect(starting).rejects.toMatchObject({ code: "sandbox-usage" });
});

test("a fault rule can name every route of both variants, and no other", () => {
  const names = (variant: SandboxVariant): string[] => {
    const ids = createIdGenerator(variant === "managed" ? "uuid" : "hex", Date.now);
    const identity = { teamId: "", organizationId: "", serviceId: "", apiKey: "", keyId: "", keySecret: "" };
    const state = {
      strict: false,
      release: "published",
      listOmits: {},
      identity,
      store: createStore({}),
      unlistedConnections: new Set<string>(),
    } as const;
    return routeTable({ variant, ...state, ids, now: Date.now }).map(routeName);
  };
  const known = FAULT_ROUTES.filter((route) => !route.endsWith(" unknown"));
  expect(known.toSorted()).toEqual([...new Set([...names("managed"), ...names("self-hosted")])].toSorted());
});

test("the route of a fault rule is a route, a prefix or all routes", () => {
  const on = (pattern: string | undefined) => FAULT_ROUTES.filter((route) => appliesToRoute("500", pattern, route));
  expect(on("PUT dashboards/{id}")).toEqual(["PUT dashboards/{id}"]);
  expect(on("POST dash*")).toEqual(["POST dashboards", "POST dashboards/validate"]);
  expect(on("*")).toEqual(FAULT_ROUTES);
  expect(on(undefined)).toEqual(FAULT_ROUTES);
});
