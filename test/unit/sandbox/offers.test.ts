import { expect, test } from "vitest";
import { startSandbox, type SandboxOptions } from "../../../src/sandbox/start-sandbox.ts";
import { call } from "./call.ts";

const ABSENT = { "self-hosted": "0".repeat(24), managed: "00000000-0000-4000-8000-000000000000" } as const;
const WRITTEN = ["sources", "webhooks", "saved-searches", "connections"];

/**
 * Returns the routes that the sandbox serves: a route that it lacks answers with a page.
 */
async function routesOf(options: SandboxOptions): Promise<string[]> {
  await using sandbox = await startSandbox({ limit: { requests: 1000, windowMs: 60_000 }, ...options });
  const id = ABSENT[options.variant];
  const found: string[] = [];
  for (const word of [...WRITTEN, "pipes", "team"]) {
    const own = [`POST ${word}`, `GET ${word}/${id}`, `PUT ${word}/${id}`, `DELETE ${word}/${id}`];
    for (const route of [`GET ${word}`, ...own]) {
      const [method = "", path = ""] = route.split(" ");
      const answer = await call(sandbox, method, path, method === "POST" || method === "PUT" ? {} : undefined);
      const isPage = answer.headers.get("content-type")?.startsWith("text/html") === true;
      if (!isPage) found.push(route.replace(id, "{id}"));
    }
  }
  return found;
}

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
  expect(await routesOf(options)).toEqual(routes);
});

test.each([{ without: ["webhook"] }, { without: ["PATCH sources/{id}"] }, { forbidden: ["hooks"] }])(
  "the option %j is refused because it names no route",
  async (options) => {
    const starting = startSandbox({ variant: "managed", ...options });
    await expect(starting).rejects.toMatchObject({ code: "sandbox-usage" });
  },
);

test.each(["self-hosted", "managed"] as const)("%s: a key with fewer rights is answered 403", async (variant) => {
  await using sandbox = await startSandbox({ variant, forbidden: ["webhooks", "POST sources"] });
  const statusOf = async (method: string, path: string, body?: object) =>
    (await call(sandbox, method, path, body)).status;
  expect(await statusOf("GET", "webhooks")).toBe(403);
  expect(await statusOf("DELETE", `webhooks/${ABSENT[variant]}`)).toBe(403);
  expect(await statusOf("POST", "sources", {})).toBe(403);
  expect(await statusOf("GET", "sources")).toBe(200);
});
