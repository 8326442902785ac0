import { expect, it } from "vitest";
import { fuzzAnswers } from "../fuzz/fuzz-answers.ts";
import { fuzzArchives } from "../fuzz/fuzz-archives.ts";

// `npm run test:slow` and `npm run fuzz` have more runs. Each test expects every kind of outcome, because otherwise the changes would
// not have tested much.
it("a randomly changed archive is opened, or refused with a documented code", async () => {
  const tally = await fuzzArchives({ runs: 120, seed: 1 });
  expect([...tally.keys()].toSorted()).toEqual(["archive-damaged", "archive-unknown", "opened"]);
}, 60_000);

it("a randomly changed response is decoded, or refused with a documented code", async () => {
  const tally = await fuzzAnswers({ runs: 250, seed: 1 });
  expect([...tally.keys()]).toEqual(expect.arrayContaining(["list", "record", "protocol", "rejected", "unavailable"]));
}, 60_000);
