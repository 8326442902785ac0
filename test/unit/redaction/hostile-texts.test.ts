import { describe, expect, it } from "vitest";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";

describe("what is protected in a long text, wherever its parts are cut", () => {
  const certificate = `-----BEGIN CERTIFICATE-----\npassword=c47MMRREd75tAxeANQ2F0To0${"Ab1+".repeat(300)}\n-----END CERTIFICATE-----\n`;
  const arn = `arn:aws:iam::123456789012:role/c47MMRREd75tAxeANQ2F0To0/password=c47MMRREd75tAxeANQ2F0To0 `;
  const long = `${`${certificate}${arn}`.repeat(400)}\n`;
  const redact = createRedactor();

  it("stays", async () => {
    expect(long.length).toBeGreaterThan(512 * 1024);
    expect(await redact(dashboards, { markdown: long })).toMatchObject({ body: { markdown: long } });
    const short = `${certificate}${arn}`.repeat(20);
    expect(await redact(dashboards, { markdown: short })).toMatchObject({ body: { markdown: short } });
  });

  it("hides no secret beside it", async () => {
    for (const markdown of [
      `${long}password=c47MMRREd75tAxeANQ2F0To0`,
      `password=c47MMRREd75tAxeANQ2F0To0 ${long}`,
      `${long}password=c47MMRREd75tAxeANQ2F0To0 ${long}`,
    ])
      expect(await redact(dashboards, { markdown })).toMatchObject({ body: { markdown: "«redacted:long-text»" } });
  });

  it("is not protected under strict", async () => {
    const { body } = await createRedactor({ level: "strict" })(dashboards, { markdown: long });
    expect(body).toEqual({ markdown: "«redacted:long-text»" });
  });
});

describe("more secrets than anybody writes", () => {
  const address = "http://u:pass@h ";

  it("in a long text are taken out with all of it", async () => {
    const plain = "nothing of note\n".repeat(40_000);
    for (const text of [address.repeat(700_000), `${plain}password: c47MMRREd75tAxeANQ2F0To0\n${plain}`]) {
      const { body, redactions } = await createRedactor()(dashboards, { id: "one", markdown: text });
      expect(body).toEqual({ id: "one", markdown: "«redacted:long-text»" });
      expect(redactions).toEqual([{ pointer: "/markdown", rule: "long-text" }]);
      expect(await createRedactor()(dashboards, body)).toEqual({ body, redactions: [] });
    }
  });

  it("may look as if they were in a long text that has none, which stays", async () => {
    const text = "the password is in the safe, see http://h/?a=1 and {{token}}\n".repeat(20_000);
    const { body } = await createRedactor()(dashboards, { id: "one", markdown: text });
    expect(body).toEqual({ id: "one", markdown: text });
  });

  it("on the border of two parts of a long text are found", async () => {
    for (let before = 65_520; before < 65_540; before += 4) {
      const text = `${" ".repeat(before)}${address}${"word ".repeat(60_000)}`;
      const { body } = await createRedactor()(dashboards, { id: "one", markdown: text });
      expect(body).toHaveProperty("markdown", "«redacted:long-text»");
    }
  });

  it("stay in a long text where an exception says so", async () => {
    const exceptions = [{ rule: "url-user-info" }];
    const text = address.repeat(20_000);
    const { body } = await createRedactor({ exceptions })(dashboards, { id: "one", markdown: text });
    expect(body).toEqual({ id: "one", markdown: text });
  });

  it("in one record take every further text that may hold one with them", async () => {
    const body = {
      id: "one",
      texts: [...Array.from({ length: 11 }, () => address.repeat(1000)), "call 1-800-PASSWORD: no"],
    };
    const clean = await createRedactor()(dashboards, body);
    expect(clean.body).toHaveProperty("texts.0", "http://«redacted:url-user-info»@h ".repeat(1000));
    expect(clean.body).toHaveProperty("texts.11", "«redacted:many-secrets»");
    expect(await createRedactor()(dashboards, clean.body)).toEqual({ body: clean.body, redactions: [] });
  });
});
