import { expect, test } from "vitest";
import { z } from "zod";
import { FAULT_ROUTES, appliesToRoute, parseFaults } from "../../support/faults/fault-plan.ts";
import { createIdGenerator, createStore } from "../../../src/sandbox/store.ts";
import type { SandboxVariant } from "../../../src/sandbox/options.ts";
import { routeTable } from "../../../src/sandbox/resources/route-table.ts";
import { routeName } from "../../../src/sandbox/resources/route.ts";

test.each([
  ["an unknown member", { rules: [], sede: 1 }],
  ["an unknown fault", { rules: [{ fault: "501" }] }],
  ["a rate and an nth", { rules: [{ fault: "500", nth: 1, rate: 1 }] }],
  ["a member of another fault", { rules: [{ fault: "500", ms: 5 }] }],
  ["a wait that no timer takes", { rules: [{ fault: "slow", ms: 2 ** 31 }] }],
  ["a route that does not exist", { rules: [{ fault: "500", route: "POST nothing" }] }],
  ["a route without that fault", { rules: [{ fault: "stale-list", route: "GET dashboards" }] }],
  ["a list without pages", { rules: [{ fault: "page-skip", route: "GET dashboards" }] }],
])("a fault plan with %s is refused, because a test with it would prove nothing", (_, plan) => {
  expect(() => parseFaults(plan)).toThrow(z.ZodError);
});

test("a fault rule can name every route of both variants, and no other", () => {
  const names = (variant: SandboxVariant): string[] => {
    const ids = createIdGenerator(variant === "managed" ? "uuid" : "hex", Date.now);
    const identity = { teamId: "", organizationId: "", serviceId: "", apiKey: "", keyId: "", keySecret: "" };
    const state = {
      strict: false,
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
