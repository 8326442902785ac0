import { writeFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentPage } from "../../src/report/html/document-page.ts";
import { readStackModel } from "../../src/report/model/stack.ts";
import { archiveDocument } from "../../src/report/view/archive.ts";
import { largeArchive } from "../support/large-archive.ts";
import { axeViolations } from "./axe-violations.ts";
import { launch, openPage } from "./open-page.ts";
import { fileOf } from "./write-pages.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const file = fileOf(temporaryFolder(), "large");
/** Limit in milliseconds; a page that stays blank for longer looks broken. */
const PAINTED_WITHIN = 2000;
let browser: Browser;

describe("the page of 1,000 dashboards", () => {
  beforeAll(async () => {
    browser = await launch();
    const { manifest, records } = largeArchive(1000);
    const summary = { path: "large.zip", formatVersion: 1, contentDigest: "d", bytes: 1 };
    writeFileSync(
      file,
      await documentPage(archiveDocument({ summary, manifest, model: readStackModel(records) }), "stackferry"),
    );
  });
  afterAll(() => browser?.close());

  it(`is first painted within ${PAINTED_WITHIN} ms`, async () => {
    const paints: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      const { page } = await openPage(browser, file);
      const paint = await page.evaluate(`new Promise((resolve) => new PerformanceObserver((list) => {
        for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") resolve(startTime);
      }).observe({ type: "paint", buffered: true }))`);
      paints.push(Math.round(Number(paint)));
      await page.context().close();
    }
    process.stderr.write(`first contentful paint of 1,000 dashboards: ${paints.join(", ")} ms\n`);
    // Compare the best of three runs, because a busy machine only adds time.
    expect(Math.min(...paints)).toBeLessThan(PAINTED_WITHIN);
  });

  it("can be searched by keyboard, without an error or a request", async () => {
    const { page, faults } = await openPage(browser, file);
    await page.focus("#q");
    await page.keyboard.type("dashboard 777");
    await expect.poll(() => page.textContent("#told")).toMatch(/^2 of 2013/);
    await page.click("#open");
    expect(await page.locator("details[open] .grid > svg > svg:visible").count()).toBe(12);
    await page.fill("#q", "dashboards");
    await expect.poll(() => page.textContent("#told")).toMatch(/^100[01] of/);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("names for a source the first of its users instead of a thousand", async () => {
    const { page } = await openPage(browser, file);
    const links = page.locator('.rec[data-kind="sources"]').first().locator("dd a");
    expect(await links.count()).toBeLessThan(100);
    await page.context().close();
  });

  it("passes the accessibility rules of axe", async () => {
    const { page } = await openPage(browser, file);
    // All records of a kind have the same structure, and axe would take too long on all of them: keep one source, which has a
    // link to each of its thousand users, and eight records of each other kind.
    await page.evaluate(`for (const section of document.querySelectorAll("[data-section]")) {
      const records = [...section.querySelectorAll(".rec")];
      for (const record of records.slice(records[0].dataset.kind === "sources" ? 1 : 8)) record.remove();
    }`);
    expect(await axeViolations(page)).toEqual([]);
    await page.context().close();
  });
});
