import { describe, expect, it } from "vitest";
import { setUpImport, IMPORT } from "../support/import-setup.ts";

describe("--check-data", () => {
  it("reports the answer of each mapped source, and sends no request without the flag", async () => {
    await using stage = await setUpImport({ variant: "self-hosted" });
    const plain = await stage.json(IMPORT);
    expect(plain).not.toHaveProperty("probes");
    expect(stage.to.stats().byRoute["POST charts/series"]).toBeUndefined();
    const asked = await stage.json(`${IMPORT} --check-data --journal j`);
    const { probes } = asked as { probes: { name: string; status: string }[] };
    expect(probes.map(({ name }) => name).sort()).toEqual(["Audit log", "Logs", "Metrics", "Sessions", "Traces"]);
    expect(new Set(probes.map(({ status }) => status))).toEqual(new Set(["data"]));
    const text = await stage.run(`${IMPORT} --check-data`);
    expect(text.stdout).toContain("Logs answers with data");
  });

  it("is a warning on a managed stack", async () => {
    await using stage = await setUpImport();
    const run = await stage.json(`${IMPORT} --check-data`);
    expect(run).toMatchObject({ exitCode: 0, probes: [], warnings: [{ code: "data-check-not-offered" }] });
  });
});
