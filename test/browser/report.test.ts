import { readFileSync, writeFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeViolations } from "./axe-violations.ts";
import { launch, openPage } from "./open-page.ts";
import { fileOf, PAGES, writePages } from "./write-pages.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const cwd = temporaryFolder();
let browser: Browser;

describe("a report in a browser", () => {
  beforeAll(async () => {
    browser = await launch();
    await writePages(cwd);
  });
  afterAll(() => browser?.close());

  describe.each(PAGES)("of the kind %s", (name) => {
    it.each([
      [1280, false],
      [1280, true],
      [390, false],
      [390, true],
    ])("at %i pixels, dark %s: no error, no request, nothing that axe objects to", async (width, dark) => {
      const { page, faults } = await openPage(browser, fileOf(cwd, name), { width, dark });
      expect(await axeViolations(page)).toEqual([]);
      expect(faults).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await page.context().close();
    });

    it("has a target for every link", async () => {
      const { page } = await openPage(browser, fileOf(cwd, name));
      const dead = `[...document.querySelectorAll("a, use")].map((link) => link.getAttribute("href"))
        .filter((to) => !to.startsWith("#") || document.getElementById(to.slice(1)) === null)`;
      expect(await page.evaluate(dead)).toEqual([]);
      await page.context().close();
    });

    it("leaves out the controls of the screen when it is printed", async () => {
      const { page } = await openPage(browser, fileOf(cwd, name));
      await page.emulateMedia({ media: "print" });
      expect(await page.locator(".bar:visible, .skip:visible").count()).toBe(0);
      await page.context().close();
    });
  });

  it("runs nothing of a hostile archive, and shows it as text", async () => {
    const { page, faults } = await openPage(browser, fileOf(cwd, "hostile"));
    await page.click("#open");
    expect(await page.evaluate("typeof window.pwned")).toBe("undefined");
    const handlers = "[onload], [onerror], [onmouseover], [href^='javascript:']";
    expect(await page.evaluate(`document.querySelectorAll("img, iframe, ${handlers}").length`)).toBe(0);
    expect(await page.evaluate("document.scripts.length")).toBe(1);
    const text = await page.innerText("main");
    for (const shown of ["<script>window.pwned=1</script>", "javascript:window.pwned=1", "\\u{202e}", "\\u{1b}[2J"]) {
      expect(text).toContain(shown);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("has a policy that stops a script which is not its own", async () => {
    const planted = fileOf(cwd, "planted");
    const own = readFileSync(fileOf(cwd, "sample"), "utf8");
    writeFileSync(planted, own.replace("</footer>", "</footer><script>window.pwned=1</script>"));
    const { page, faults } = await openPage(browser, planted);
    expect(await page.evaluate("typeof window.pwned")).toBe("undefined");
    expect(faults.join()).toContain("Content Security Policy");
    await page.context().close();
  });
});
