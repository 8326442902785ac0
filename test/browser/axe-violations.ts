import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** Opens all parts of the page. Returns the rules that axe finds violated, each with the first element that violates it. */
export async function axeViolations(page: Page): Promise<string[]> {
  const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(`for (const box of document.querySelectorAll("details")) {
    box.open = true;
    box.style.contentVisibility = "visible";
  }`);
  // The page's policy blocks other scripts, but not those that the debugger evaluates.
  await page.evaluate(source);
  const found: unknown = await page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))",
  );
  return found as string[];
}
