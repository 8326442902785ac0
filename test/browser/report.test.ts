import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { archivePage } from "../../src/report/archive-page.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { manifestOf } from "../support/archive-samples.ts";
import { hostileRecords } from "../support/hostile-records.ts";
import { largeArchive } from "../support/large-archive.ts";
import { runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { axeViolations, hasChromium, launch, openPage } from "./open-page.ts";

const cwd = mkdtempSync(join(tmpdir(), "stackferry-browser-"));
const file = (name: string): string => join(cwd, `${name}.html`);
const PAGES = ["sample", "pipes", "plan", "journal", "diff", "hostile"];
let browser: Browser;

describe.skipIf(!hasChromium())("a report in a browser", () => {
  beforeAll(async () => {
    browser = await launch();
    await writePages();
  });
  afterAll(() => browser?.close());

  describe.each(PAGES)("of the kind %s", (name) => {
    it.each([
      [1280, false],
      [1280, true],
      [390, false],
      [390, true],
    ])("at %i pixels, dark %s: no error, no request, nothing that axe objects to", async (width, dark) => {
      const { page, faults } = await openPage(browser, file(name), { width, dark });
      expect(await axeViolations(page)).toEqual([]);
      expect(faults).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await page.context().close();
    });
  });

  it("is searched, filtered and walked through by keyboard", async () => {
    const { page, faults } = await openPage(browser, file("sample"));
    await page.keyboard.press("/");
    await page.keyboard.type("ubersicht");
    await expect.poll(() => page.textContent("#told")).toMatch(/^3 of/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.parentElement.open")).toBe(true);
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.textContent("#told")).toMatch(/records$/);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    expect(await page.evaluate("document.activeElement.dataset.value")).toBe("dashboards");
    expect(await page.textContent("#told")).toBe("9 of 30 shown");
    await page.keyboard.press("/");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Service overview");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("opens what a link leads to, even if the search had hidden it", async () => {
    const { page } = await openPage(browser, file("sample"));
    await page.fill("#q", "audit trail");
    await expect.poll(() => page.textContent("#told")).toMatch(/^2 of/);
    await page.click("details[data-kind=dashboards]:not([hidden]) > summary");
    await page.click("details[data-kind=dashboards]:not([hidden]) a[href^='#r-sources']");
    const open = "document.activeElement.closest('details[data-kind=sources]')?.open";
    await expect.poll(() => page.evaluate(open)).toBe(true);
    await page.context().close();
  });

  it("runs nothing of a hostile archive", async () => {
    const { page, faults } = await openPage(browser, file("hostile"));
    await page.click("#open");
    expect(await page.evaluate("typeof window.pwned")).toBe("undefined");
    expect(
      await page.evaluate("document.querySelectorAll('img, iframe, [onload], [onerror], [onmouseover]').length"),
    ).toBe(0);
    expect(await page.evaluate("document.scripts.length")).toBe(1);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("has a policy that stops a script which is not its own", async () => {
    const planted = file("planted");
    writeFileSync(
      planted,
      readFileSync(file("sample"), "utf8").replace("</footer>", "</footer><script>window.pwned=1</script>"),
    );
    const { page, faults } = await openPage(browser, planted);
    expect(await page.evaluate("typeof window.pwned")).toBe("undefined");
    expect(faults.join()).toContain("Content Security Policy");
    await page.context().close();
  });

  it("paints an archive of 1,000 dashboards within 2 seconds, and searches it", async () => {
    const { manifest, records } = largeArchive(1000);
    const summary = { path: "large.zip", formatVersion: 1, contentDigest: "d", bytes: 1 };
    writeFileSync(file("large"), archivePage({ summary, manifest, records, madeBy: "stackferry" }));
    const { page, faults } = await openPage(browser, file("large"));
    const paint = await page.evaluate(`new Promise((resolve) => new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") resolve(startTime);
    }).observe({ type: "paint", buffered: true }))`);
    expect(paint).toBeLessThan(2000);
    await page.fill("#q", "dashboard 777");
    await expect.poll(() => page.textContent("#told")).toMatch(/^2 of/);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

/** The sample of both variants, a migration with blocked records, its journal, a comparison, and a hostile archive. */
async function writePages(): Promise<void> {
  await using source = await startSandbox({ variant: "self-hosted", seed: "sample" });
  await using managed = await startSandbox({ variant: "managed", seed: "sample" });
  await using target = await startSandbox({ variant: "managed", seed: "bare" });
  const run = async (from: typeof source, ...args: string[]): Promise<void> => {
    const { exitCode, stderr } = await runCli(args, { cwd, env: sandboxEnv(from, target) });
    if (exitCode !== 0 && exitCode !== 3) throw new Error(`${args.join(" ")}: ${exitCode} ${stderr}`);
  };
  const pipes = (managed.pipeIds ?? []).flatMap((id) => ["--pipe", id]);
  await run(source, "export", "--from", source.stack, "--out", "a.zip");
  await run(managed, "export", "--from", managed.stack, "--out", "m.zip", ...pipes);
  await run(source, "report", "a.zip", "--out", file("sample"));
  await run(source, "report", "m.zip", "--out", file("pipes"));
  await run(source, "import", "a.zip", "--to", target.stack, "--dry-run", "--report", file("plan"));
  await run(source, "import", "a.zip", "--to", target.stack, "--yes", "--journal", "i.journal");
  await run(source, "report", "i.journal", "--out", file("journal"));
  await run(source, "diff", "m.zip", "a.zip", "--report", file("diff"));
  const summary = { path: "hostile.zip", formatVersion: 1, contentDigest: "d", bytes: 1 };
  const page = archivePage({
    summary,
    manifest: manifestOf(hostileRecords),
    records: hostileRecords,
    madeBy: "stackferry",
  });
  writeFileSync(file("hostile"), page);
}
