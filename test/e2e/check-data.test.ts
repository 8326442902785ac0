import { expect, it } from "vitest";
import { setUpImport, IMPORT } from "../support/import-setup.ts";
import { twoStacks } from "../support/sandbox-pair.ts";
import { emptyStack } from "../support/small-bench.ts";

it("--check-data reports the answer of each mapped source, and sends no request without the flag", async () => {
  await using stage = await setUpImport({ variant: "self-hosted" });
  const plain = await stage.json(IMPORT);
  expect(plain).not.toHaveProperty("probes");
  expect(stage.to.stats().byRoute["POST charts/series"]).toBeUndefined();
  const { probes } = (await stage.json(`${IMPORT} --check-data`)) as { probes: { name: string; status: string }[] };
  expect(probes.map(({ name, status }) => `${name}: ${status}`).toSorted()).toEqual(
    ["Audit log", "Logs", "Metrics", "Sessions", "Traces"].map((name) => `${name}: data`),
  );
  const text = await stage.run(`${IMPORT} --check-data`);
  expect(text.stdout).toContain("Logs answers with data");
});

it("--check-data is a warning on a managed stack", async () => {
  const from = { variant: "self-hosted", seed: emptyStack("a") } as const;
  await using stacks = await twoStacks(from, { variant: "managed", seed: emptyStack("b") });
  const run = await stacks.json("migrate --from $FROM --to $TO --check-data");
  expect(run).toMatchObject({ exitCode: 0, probes: [] });
  expect(run["warnings"]).toContainEqual(expect.objectContaining({ code: "data-check-not-offered" }));
});
