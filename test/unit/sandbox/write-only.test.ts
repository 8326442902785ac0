import { expect, test } from "vitest";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import { call, list, record } from "./call.ts";

const SECRETS = ["password", "header", "parameter", "bearer", "body"].map((word) => `not-a-real-${word}`);
const LISTS = ["connections", "webhooks", "sources", "saved-searches", "dashboards", "alerts"];

test.each(["self-hosted", "managed"] as const)(
  "%s: write-only members are stored and left out of every response",
  async (variant) => {
    await using sandbox = await startSandbox({ variant, seed: "sample" });
    const stored = JSON.stringify(sandbox.stored());
    for (const secret of SECRETS) expect(stored).toContain(secret);
    for (const word of LISTS) {
      const answer = await call(sandbox, "GET", word);
      const records = answer.status === 200 ? list(answer) : [];
      const each = await Promise.all(records.map(({ id }) => call(sandbox, "GET", `${word}/${id}`)));
      for (const { text } of [answer, ...each]) for (const secret of SECRETS) expect(text).not.toContain(secret);
    }
  },
);

test("a password is stored, and left out of every response", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted" });
  const body = { name: "Main", host: "http://ch:8123", username: "reader", password: "not-a-real-password" };
  const created = await call(sandbox, "POST", "connections", body);
  const again = await call(sandbox, "PUT", `connections/${record(created).id}`, { ...body, password: undefined });
  for (const { text } of [created, again]) expect(text).not.toContain("password");
  expect(sandbox.stored().connections).toMatchObject([{ name: "Main", password: body.password }]);
});

test("stored() returns copies of the records", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: "bare" });
  const [copy] = sandbox.stored().webhooks;
  Object.assign(copy ?? {}, { name: "changed" });
  expect(JSON.stringify(sandbox.stored())).not.toContain("changed");
});
