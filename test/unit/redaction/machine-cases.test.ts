import { expect, it } from "vitest";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { MACHINE_LOOK_ALIKES, MACHINE_SECRETS } from "../../corpus/machine-cases.ts";
import { TOLD_LOOK_ALIKES, TOLD_SECRETS } from "../../corpus/told-cases.ts";

const redact = createRedactor();

it.each([...MACHINE_SECRETS, ...TOLD_SECRETS])("takes the secret out of %j", async (text, secret) => {
  // A function, as a dollar would stand for something else.
  const { body } = await redact(dashboards, { markdown: text.replace("@@", () => secret) });
  expect(body).toHaveProperty("markdown", expect.stringContaining("«redacted:"));
  expect(body).not.toHaveProperty("markdown", expect.stringContaining(secret.slice(-Math.ceil(secret.length / 2))));
});

it.each([...MACHINE_LOOK_ALIKES, ...TOLD_LOOK_ALIKES])("leaves %j as it is", async (markdown) => {
  expect(await redact(dashboards, { markdown })).toEqual({ body: { markdown }, redactions: [] });
});
