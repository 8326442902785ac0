import { expect, it } from "vitest";
import { measureRedaction } from "../../bench/redaction-speed.ts";

it("measureRedaction returns finite figures, and its records have secrets that are redacted", async () => {
  const { megabytes, redactions, ...speed } = await measureRedaction({ count: 40, tiles: 10 });
  expect(megabytes).toBeGreaterThan(0.1);
  expect(redactions).toBeGreaterThan(0);
  for (const value of Object.values(speed)) expect(Number.isFinite(value)).toBe(true);
});
