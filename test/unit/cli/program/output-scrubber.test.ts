import { expect, it } from "vitest";
import { createOutputScrubber, environmentSecrets } from "../../../../src/cli/program/io.ts";

const SECRET = 'p"ss wörd/+=';

it.each<[string, string]>([
  ["plain", SECRET],
  ["in JSON", JSON.stringify({ key: SECRET })],
  ["in JSON in JSON", JSON.stringify(JSON.stringify(SECRET))],
  ["in an address", `https://host/?key=${encodeURIComponent(SECRET)}`],
  ["in base64", Buffer.from(SECRET).toString("base64")],
  ["in a Basic header", `Basic ${Buffer.from(`user:${SECRET}`).toString("base64")}`],
  ["in hex", Buffer.from(SECRET).toString("hex")],
])("the output scrubber replaces a secret %s", (_, text) => {
  const outputScrubber = createOutputScrubber();
  outputScrubber.add(SECRET);
  expect(outputScrubber.scrub(`before ${text} after`)).toMatch(/^before .*«credential».* after$/);
});

it("the output scrubber leaves other texts unchanged, and ignores secrets as short as a word", () => {
  const outputScrubber = createOutputScrubber();
  outputScrubber.add(SECRET, "", "a", "the");
  expect(outputScrubber.scrub("the password is a word")).toBe("the password is a word");
});

it("the credentials among the STACKFERRY_ variables are secrets for the output scrubber", () => {
  const env = {
    STACKFERRY_API_KEY: "one",
    STACKFERRY_FROM_API_KEY: "two",
    STACKFERRY_TO_KEY_ID: "three",
    STACKFERRY_KEY_SECRET: "four",
    STACKFERRY_PASSPHRASE: "five",
    STACKFERRY_IDENTITY_FILE: "/a/path",
    STACKFERRY_CONSISTENCY_WAIT: "30s",
    STACKFERRY_TO_API_KEY: "",
    PATH: "/bin",
  };
  expect(environmentSecrets(env)).toEqual(["one", "two", "three", "four", "five"]);
});
