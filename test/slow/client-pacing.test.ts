import { expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { clientOfSandbox, listAll } from "../unit/client/support/clients.ts";

test("the client keeps to the limit that a server announces, over real connections", async () => {
  await using sandbox = await startSandbox({
    variant: "self-hosted",
    seed: "bare",
    limit: { requests: 20, windowMs: 1000 },
  });
  const client = clientOfSandbox(sandbox, { retryBudgetMs: 60_000 });
  await Promise.all(Array.from({ length: 60 }, () => listAll(client, "sources")));
  expect(client.requestCounts()).toMatchObject({ total: 60, rateLimited: 0 });
});

test("no request is refused if the user sets a rate below the limit", async () => {
  await using sandbox = await startSandbox({
    variant: "managed",
    seed: "bare",
    limit: { requests: 10, windowMs: 1000 },
  });
  const client = clientOfSandbox(sandbox, { rate: { requests: 5, perMs: 1000 } });
  await Promise.all(Array.from({ length: 15 }, () => listAll(client, "sources")));
  expect(client.requestCounts()).toMatchObject({ total: 15, rateLimited: 0 });
});
