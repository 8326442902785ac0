import { describe, expect, test } from "vitest";
import type { SandboxOptions } from "../../../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { call, list, markdownTile, record } from "../call.ts";

const id = (digit: string) => digit.repeat(24);
const hook = (digit: string) => ({ id: id(digit), name: digit, service: "generic", url: "https://example.com" });
const channels = ["a", "b"].map((digit) => ({ type: "webhook", webhookId: id(digit) }));
const body = {
  threshold: 1,
  thresholdType: "above",
  interval: "1m",
  source: "saved_search",
  savedSearchId: id("e"),
  channel: channels[0],
};
const inline = { ...body, source: "inline", savedSearchId: undefined, chartConfig: { displayType: "line" } };

function stack(options: Partial<SandboxOptions>) {
  const seed = { webhooks: ["a", "b"].map(hook), "saved-searches": [{ id: id("e"), name: "s" }] };
  const variant = options.variant ?? "managed";
  return startSandbox({ variant, seed, ...(variant === "managed" && { ids: "hex" }), ...options });
}

test("several channels of a managed alert are refused by a strict gateway, as published, and taken in the next release", async () => {
  for (const [release, status] of [
    ["published", 400],
    ["next", 200],
  ] as const) {
    await using strict = await stack({ strict: true, release });
    expect((await call(strict, "POST", "alerts", { ...body, channels })).status).toBe(status);
  }
});

describe.each(["self-hosted", "managed"] as const)("on %s", (variant) => {
  test("an alert with a chart of its own is refused, and taken in the next release, whose list omits the chart", async () => {
    await using now = await stack({ variant });
    expect((await call(now, "POST", "alerts", inline)).status).toBe(400);
    await using next = await stack({ variant, release: "next" });
    const alert = record(await call(next, "POST", "alerts", inline));
    expect(alert).toMatchObject({ source: "inline", chartConfig: inline.chartConfig });
    expect(record(await call(next, "GET", `alerts/${alert.id}`))).toEqual(alert);
    const { chartConfig: _, ...listed } = alert;
    expect(list(await call(next, "GET", "alerts"))).toEqual([listed]);
  });

  test("a list can leave out what the single record has", async () => {
    await using sandbox = await stack({ variant, listOmits: { dashboards: ["containers"] } });
    const containers = [{ id: "c", title: "C", collapsed: false }];
    const dashboard = record(
      await call(sandbox, "POST", "dashboards", { name: "d", tiles: [markdownTile("t")], containers }),
    );
    expect(dashboard).toMatchObject({ containers });
    const { containers: _, ...listed } = dashboard;
    expect(list(await call(sandbox, "GET", "dashboards"))).toEqual([listed]);
    expect(record(await call(sandbox, "GET", `dashboards/${dashboard.id}`))).toEqual(dashboard);
  });
});
