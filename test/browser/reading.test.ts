import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, openPage } from "./open-page.ts";
import { fileOf, writePages } from "./write-pages.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const cwd = temporaryFolder();
const OVERVIEW = ".rec:has(.name:text-is('Service overview')) > summary";
let browser: Browser;

describe("reading a report in a browser", () => {
  beforeAll(async () => {
    browser = await launch();
    await writePages(cwd);
  });
  afterAll(() => browser?.close());

  it("can be searched by keyboard, also for a kind", async () => {
    const { page, faults } = await openPage(browser, fileOf(cwd, "sample"));
    await page.focus("#q");
    await page.keyboard.type("ubersicht");
    await expect.poll(() => page.textContent("#told")).toMatch(/^6 of/);
    expect(await page.textContent("#h-dashboards .count")).toBe("1 of 9");
    await page.fill("#q", "saved-searches");
    await expect.poll(() => page.locator("#h-dashboards").isVisible()).toBe(false);
    expect(await page.textContent("#h-saved-searches .count")).toBe("2");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("says when the search finds nothing", async () => {
    const { page } = await openPage(browser, fileOf(cwd, "sample"));
    await page.fill("#q", "webhook-url");
    await expect.poll(() => page.textContent("#told")).toMatch(/^4 of/);
    expect(await page.isVisible("#none")).toBe(false);
    await page.fill("#q", "no such thing");
    await expect.poll(() => page.isVisible("#none")).toBe(true);
    await page.context().close();
  });

  it("shows the whole outline of the focused element", async () => {
    const { page } = await openPage(browser, fileOf(cwd, "sample"));
    await page.focus("#open");
    await page.keyboard.press("Tab");
    const outline = `(({ outlineStyle, outlineWidth, outlineOffset }) => [outlineStyle,
      parseFloat(outlineWidth) >= 2, parseFloat(outlineWidth) + parseFloat(outlineOffset) <= 0])`;
    // The page draws records only when they are visible, which requires that outlines stay within their boxes.
    expect(await page.evaluate(`${outline}(getComputedStyle(document.activeElement))`)).toEqual(["solid", true, true]);
    await page.context().close();
  });

  it("opens the record that a link leads to below the bar, even if the search had hidden it", async () => {
    const { page } = await openPage(browser, fileOf(cwd, "sample"));
    await page.fill("#q", "audit trail");
    await expect.poll(() => page.textContent("#told")).toMatch(/^4 of/);
    await page.click("details[data-kind=dashboards]:not([hidden]) > summary");
    await page.click("details[data-kind=dashboards]:not([hidden]) a[href^='#r-sources']");
    const open = "document.activeElement.closest('details[data-kind=sources]')?.open";
    await expect.poll(() => page.evaluate(open)).toBe(true);
    const top = "document.activeElement.getBoundingClientRect().top";
    const under = "document.querySelector('.bar').getBoundingClientRect().bottom";
    await expect.poll(() => page.evaluate(`${top} >= ${under} && ${top} < innerHeight`)).toBe(true);
    await page.context().close();
  });

  it.each([1280, 390])("draws every tile at its place on the dashboard, at %i pixels", async (width) => {
    const { page } = await openPage(browser, fileOf(cwd, "sample"), { width });
    await page.click(OVERVIEW);
    // Positions in columns and rows of the grid, computed from the boxes that the browser drew.
    const boxes = `(() => {
      const grid = document.querySelector(".rec[open] .grid > svg");
      const frame = grid.getBoundingClientRect(), unit = frame.width / 960;
      return [...grid.querySelectorAll(":scope > svg > .b")].map((tile) => {
        const { x, y, width, height } = tile.getBoundingClientRect();
        return [(x - frame.x) / unit / 40, (y - frame.y) / unit / 26, width / unit / 40, height / unit / 26].map(Math.round);
      });
    })()`;
    expect(await page.evaluate(boxes)).toEqual([
      [0, 0, 12, 4],
      [12, 0, 12, 4],
      [0, 4, 6, 3],
      [6, 4, 6, 3],
      [12, 4, 6, 3],
      [18, 4, 6, 3],
    ]);
    await page.context().close();
  });

  it.each(["sample", "plan", "import", "undo", "diff"])(
    "shows a record on the first screen of a telephone: %s",
    async (name) => {
      const { page } = await openPage(browser, fileOf(cwd, name), { width: 390 });
      const shown = "document.querySelector('.rec:not([hidden]) .name').getBoundingClientRect().bottom <= innerHeight";
      expect(await page.evaluate(shown)).toBe(true);
      await page.context().close();
    },
  );

  it.each([1280, 390])("names every tile at %i pixels, and cuts no drawing off", async (width) => {
    const { page } = await openPage(browser, fileOf(cwd, "sample"), { width });
    await page.click(OVERVIEW);
    const drawing = page.locator(".rec[open] .grid");
    expect(await drawing.locator(".n:visible").count()).toBe(6);
    const grid = "document.querySelector('.rec[open] .grid')";
    expect(await page.evaluate(`${grid}.scrollWidth <= ${grid}.clientWidth`)).toBe(true);
    await page.context().close();
  });

  it("keeps matches closed until the search finds one", async () => {
    const { page } = await openPage(browser, fileOf(cwd, "plan"));
    const match = page.locator("#h-matched ~ .fold .rec", { hasText: "Primary" });
    expect(await match.isVisible()).toBe(false);
    await page.fill("#q", "Primary");
    await expect.poll(() => match.isVisible()).toBe(true);
    await page.fill("#q", "");
    await expect.poll(() => match.isVisible()).toBe(false);
    await page.context().close();
  });

  it("shows why a record is blocked without opening it, and what changed in a dashboard", async () => {
    const plan = await openPage(browser, fileOf(cwd, "plan"));
    const blocked = plan.page.locator(".rec[data-state=blocked]:not([open]) .why:visible");
    expect(await blocked.count()).toBe(14);
    expect(await blocked.first().innerText()).toContain("missing-reference");
    const diff = await openPage(browser, fileOf(cwd, "diff"));
    await diff.page.click("#open");
    const changes = diff.page.locator(".rec[data-state=changed] > .in > ul > li:visible");
    expect((await changes.allTextContents()).join()).toContain('tile "New"');
    await plan.page.context().close();
    await diff.page.context().close();
  });
});
