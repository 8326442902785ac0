import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** The rules that axe finds broken, each with its first place, after every part of the page was opened. */
export async function axeViolations(page: Page): Promise<string[]> {
  const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(`for (const box of document.querySelectorAll("details")) {
    box.open = true;
    box.style.contentVisibility = "visible";
  }`);
  // Put in by the debugger, which the page's policy does not bind; its own scripts are.
  await page.evaluate(source);
  const found: unknown = await page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))",
  );
  return found as string[];
}
