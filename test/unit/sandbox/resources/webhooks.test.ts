import { expect, test } from "vitest";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { call, record } from "../call.ts";

const stack = () => startSandbox({ variant: "self-hosted" });
const body = { name: "hook", service: "generic", url: "https://example.com/x" };
const map = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, "v"]));

test.each([
  [400, "a header's name begins with a digit", { headers: { "1st": "v" } }],
  [400, "a header's name is empty", { headers: { "": "v" } }],
  [400, "a header's name is not ASCII", { headers: { "X-Größe": "v" } }],
  [400, "a header's name is too long", { headers: { ["x".repeat(257)]: "v" } }],
  [400, "a header's value has a tab", { headers: { "X-A": "a\tb" } }],
  [400, "a header's value is too long", { headers: { "X-A": "v".repeat(4097) } }],
  [400, "there are too many headers", { headers: map(101) }],
  [400, "a parameter's name is empty", { queryParams: { "": "v" } }],
  [400, "a parameter's name has a control character", { queryParams: { "a\u0001": "v" } }],
  [400, "a parameter's value has a line break", { queryParams: { a: "b\nc" } }],
  [400, "there are too many parameters", { queryParams: map(101) }],
  [400, "the name is blank", { name: "  " }],
  [500, "a header's name has a dot", { headers: { "X.A": "v" } }],
  [500, "a parameter's name begins with a dollar sign", { queryParams: { $a: "v" } }],
  [200, "names and values are at their bounds", { headers: { ...map(99), ["x".repeat(256)]: "" } }],
  [200, "a parameter's name begins with a digit and has a dollar sign", { queryParams: { "1$": "ü" } }],
])("%i where %s", async (status, _, change) => {
  await using sandbox = await stack();
  expect((await call(sandbox, "POST", "webhooks", { ...body, ...change })).status).toBe(status);
  expect(sandbox.stored().webhooks).toHaveLength(status === 200 ? 1 : 0);
});

test("names are trimmed, and compared with their case, within a service", async () => {
  await using sandbox = await stack();
  const create = async (change: object) => (await call(sandbox, "POST", "webhooks", { ...body, ...change })).status;
  expect(await create({ name: " hook " })).toBe(200);
  expect(await create({})).toBe(400);
  expect(await create({ name: "Hook" })).toBe(200);
  expect(await create({ service: "incidentio" })).toBe(200);
  expect(sandbox.stored().webhooks.map(({ name }) => name)).toEqual(["hook", "Hook", "hook"]);
});

test.each([
  ["a new name keeps both", { name: "other" }, { headers: { "X-A": "a" }, queryParams: { a: "b" } }],
  ["an empty map clears", { headers: {} }, { headers: {}, queryParams: { a: "b" } }],
  ["another text of the same address clears both", { url: "https://EXAMPLE.com/x" }, {}],
])("headers and parameters in an update: %s", async (_, change, left) => {
  await using sandbox = await stack();
  const secret = { headers: { "X-A": "a" }, queryParams: { a: "b" }, body: "text" };
  const { id } = record(await call(sandbox, "POST", "webhooks", { ...body, ...secret }));
  expect((await call(sandbox, "PUT", `webhooks/${id}`, { ...body, ...change })).status).toBe(200);
  const [stored] = sandbox.stored().webhooks;
  const hidden = { headers: stored?.["headers"], queryParams: stored?.["queryParams"], text: stored?.["body"] };
  expect(hidden).toEqual(left);
});
