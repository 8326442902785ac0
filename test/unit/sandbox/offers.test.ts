import { expect, test } from "vitest";
import type { SandboxOptions } from "../../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import { call, list, markdownTile, record } from "./call.ts";

const ABSENT = { "self-hosted": "0".repeat(24), managed: "00000000-0000-4000-8000-000000000000" } as const;
const WRITTEN = ["sources", "webhooks", "saved-searches", "connections"];

/**
 * Returns the kind of response of each route: a record, a list, a refusal of either, or that the route is absent, with or without
 * its router.
 */
async function routesOf(options: SandboxOptions): Promise<Record<string, string>> {
  await using sandbox = await startSandbox({ limit: { requests: 1000, windowMs: 60_000 }, ...options });
  const id = ABSENT[options.variant];
  const found: Record<string, string> = {};
  for (const word of [...WRITTEN, "pipes", "team"]) {
    const own = [`POST ${word}`, `GET ${word}/${id}`, `PUT ${word}/${id}`, `DELETE ${word}/${id}`];
    for (const route of [`GET ${word}`, ...own]) {
      const [method = "", path = ""] = route.split(" ");
      const answer = await call(sandbox, method, path, method === "POST" || method === "PUT" ? {} : undefined);
      const isPage = answer.headers.get("content-type")?.startsWith("text/html") === true;
      const missing = answer.headers.has("ratelimit-limit") ? "no route" : "no router";
      found[route.replace(id, "{id}")] = isPage ? missing : "served";
    }
  }
  return found;
}

const served = (routes: Record<string, string>) => Object.keys(routes).filter((route) => routes[route] === "served");
const all = (word: string) => [
  `GET ${word}`,
  `POST ${word}`,
  ...["GET", "PUT", "DELETE"].map((verb) => `${verb} ${word}/{id}`),
];
const webhooks = all("webhooks").filter((route) => route !== "GET webhooks/{id}");

const everything = [...all("sources"), ...webhooks, ...all("saved-searches"), ...all("connections"), "GET team"];
const without = ["webhooks", "POST sources"];

test.each<[string, SandboxOptions, readonly string[]]>([
  ["a self-hosted deployment", { variant: "self-hosted" }, everything],
  [
    "a managed deployment",
    { variant: "managed" },
    [...all("sources"), ...webhooks, ...all("saved-searches"), "GET pipes", "GET pipes/{id}"],
  ],
  ["an older self-hosted deployment", { variant: "self-hosted", api: "contract" }, ["GET sources", "GET webhooks"]],
  ["an older managed deployment", { variant: "managed", api: "contract" }, ["GET sources", "GET pipes/{id}"]],
  [
    "a deployment that lacks a router and a route",
    { variant: "self-hosted", without },
    everything.filter((route) => route !== "POST sources" && !webhooks.includes(route)),
  ],
])("%s serves its routes and no others", async (_, options, routes) => {
  expect(served(await routesOf(options))).toEqual(routes);
});

test("the 404 of an absent route has limit headers if its router exists", async () => {
  const older = await routesOf({ variant: "self-hosted", api: "contract" });
  expect([older["POST sources"], older["GET connections"]]).toEqual(["no route", "no router"]);
  const lacking = await routesOf({ variant: "self-hosted", without });
  expect([lacking["GET webhooks"], lacking["POST sources"], lacking["GET pipes"]]).toEqual([
    "no router",
    "no route",
    "no router",
  ]);
});

test.each([{ without: ["webhook"] }, { without: ["PATCH sources/{id}"] }])(
  "the option %j is refused because it names no route",
  async (options) => {
    const starting = startSandbox({ variant: "managed", ...options });
    await expect(starting).rejects.toMatchObject({ code: "sandbox-usage" });
  },
);

test("without a key, an absent router returns 404 and an absent route returns 401", async () => {
  const limit = { requests: 3, windowMs: 60_000 };
  await using sandbox = await startSandbox({ variant: "self-hosted", without: ["webhooks"], limit });
  const bare = async (path: string) => (await fetch(`${sandbox.url}/api/v2/${path}`)).status;
  expect([await bare("webhooks"), await bare("sources/x/tables")]).toEqual([404, 401]);
});

test("the API root returns the caller's key, requires it and is not limited", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted", limit: { requests: 1, windowMs: 60_000 } });
  for (const path of ["", "/"]) {
    const root = await fetch(`${sandbox.url}/api/v2${path}`, {
      headers: { authorization: `Bearer ${sandbox.apiKey}` },
    });
    expect([root.status, root.headers.get("ratelimit-limit")]).toEqual([200, null]);
    expect(await root.json()).toMatchObject({ version: "v2", user: { accessKey: sandbox.apiKey } });
  }
  expect((await fetch(`${sandbox.url}/api/v2/`)).status).toBe(401);
  expect(sandbox.stats().byRoute).toEqual({ "GET root": 3 });
});

test.each(["self-hosted", "managed"] as const)(
  "%s: listOmits removes members from a list and not from a single record",
  async (variant) => {
    await using sandbox = await startSandbox({ variant, listOmits: { dashboards: ["containers"] } });
    const containers = [{ id: "c", title: "C", collapsed: false }];
    const dashboard = record(
      await call(sandbox, "POST", "dashboards", { name: "d", tiles: [markdownTile("t")], containers }),
    );
    expect(dashboard).toMatchObject({ containers });
    const { containers: _, ...listed } = dashboard;
    expect(list(await call(sandbox, "GET", "dashboards"))).toEqual([listed]);
    expect(record(await call(sandbox, "GET", `dashboards/${dashboard.id}`))).toEqual(dashboard);
  },
);
