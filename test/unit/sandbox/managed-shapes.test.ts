import { expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import { call, children, json, list, markdownTile, record } from "./call.ts";

const HEX = /^[0-9a-f]{24}$/;
const bare = (strict = false) => startSandbox({ variant: "managed", seed: "bare", strict });

const tile = (config: object) => ({ name: "t", x: 0, y: 0, w: 6, h: 4, config });
const firstSource = async (sandbox: Sandbox) => list(await call(sandbox, "GET", "sources"))[0];
const counts = async (sandbox: Sandbox, displayType: string) => {
  return { displayType, sourceId: (await firstSource(sandbox))?.id, select: [{ aggFn: "count" }] };
};
const channelsOf = ({ webhooks }: Sandbox) => {
  const channels = webhooks.slice(0, 2).map(({ id }) => ({ type: "webhook", webhookId: id }));
  return { channel: channels[0], channels };
};

async function alertBody(sandbox: Sandbox) {
  const tiles = [tile(await counts(sandbox, "line"))];
  const dashboard = record(await call(sandbox, "POST", "dashboards", { name: "d", tiles }));
  const condition = { source: "tile", threshold: 1, thresholdType: "above", interval: "5m" };
  return { ...condition, dashboardId: dashboard.id, tileId: children(dashboard, "tiles")[0]?.id };
}

type Body = (sandbox: Sandbox) => object | Promise<object>;

/**
 * Members that the description of managed stacks lacks, whether self-hosted stacks have them or not. Each is in a body, with the
 * place that the refusal names.
 */
const undescribed: readonly (readonly [kind: string, member: string, at: string, body: Body])[] = [
  ["dashboards", "nope", "", () => ({ name: "x", tiles: [], nope: 1 })],
  ["dashboards", "nope", "tiles.0: ", () => ({ name: "x", tiles: [{ ...markdownTile("a"), nope: 1 }] })],
  ["webhooks", "nope", "", () => ({ name: "w", service: "generic", url: "https://example.com", nope: 1 })],
  ["alerts", "channels", "", async (sandbox) => ({ ...(await alertBody(sandbox)), ...channelsOf(sandbox) })],
  [
    "dashboards",
    "seriesLimit",
    "tiles.0.config: ",
    async (sandbox) => ({ name: "x", tiles: [tile({ ...(await counts(sandbox, "line")), seriesLimit: 5 })] }),
  ],
  [
    "sources",
    "orderByExpression",
    "",
    async (sandbox) => ({ ...(await firstSource(sandbox)), name: "copy", orderByExpression: "Timestamp" }),
  ],
];

test.each(undescribed)(
  "%s: a strict gateway refuses the member %s by name, and another gateway drops it",
  async (kind, member, at, bodyOf) => {
    for (const strict of [true, false]) {
      await using sandbox = await bare(strict);
      const answer = await call(sandbox, "POST", kind, await bodyOf(sandbox));
      expect(answer.status, answer.text).toBe(strict ? 400 : 200);
      if (strict) expect(json(answer)["error"]).toContain(`${at}Unrecognized key(s) in object: '${member}'`);
      else expect(answer.text).not.toContain(member);
    }
  },
);

test("a managed stack can have ids of 24 hex digits, and pipes, organization and service have uuids", async () => {
  await using sandbox = await startSandbox({ variant: "managed", seed: "sample", ids: "hex" });
  for (const kind of ["dashboards", "alerts", "sources", "webhooks", "saved-searches"]) {
    for (const { id } of list(await call(sandbox, "GET", kind))) expect(id).toMatch(HEX);
  }
  expect(sandbox.pipeIds?.every((id) => !HEX.test(id))).toBe(true);
  expect((await call(sandbox, "GET", `pipes/${sandbox.pipeIds?.[0]}`)).status).toBe(200);
  expect(list(await call(sandbox, "GET", "pipes")).map(({ id }) => id)).toEqual(sandbox.pipeIds);
  const other = await call(sandbox, "GET", "dashboards/00000000-0000-4000-8000-000000000000");
  expect(json(other)["error"]).toBe("Params validation failed: id: Invalid ObjectId");
  const made = record(await call(sandbox, "POST", "dashboards", { name: "d", tiles: [markdownTile("a")] }));
  expect([made.id, children(made, "tiles")[0]?.id].every((id) => HEX.test(String(id)))).toBe(true);
});
