import { expect, it } from "vitest";
import { rankCandidates } from "../../../src/core/text/similarity.ts";

it("rankCandidates puts the most similar name first: letters, or all words of the other name", () => {
  const candidates = ["Audit", "Application logs", "Traces"].map((name) => ({ id: name, name }));
  const ranked = (name: string) => rankCandidates(name, candidates);
  expect(ranked("Logs")[0]).toMatchObject({ id: "Application logs" });
  expect(ranked("traces")[0]).toMatchObject({ id: "Traces" });
});
