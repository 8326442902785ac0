import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/load-config.ts";
import { parseMapFile } from "../../src/config/map-file.ts";
import { blocksOf, documentPaths, documentText, root } from "../support/documents.ts";

const texts = ["SECURITY.md", "CONTRIBUTING.md", ...documentPaths()].map((path) => [path, documentText(path)] as const);

/** Returns the paths in a text that do not exist in the repository. The text may omit `.ts`. */
function missingFiles(text: string): string[] {
  const named = [...text.matchAll(/`((?:src|test|scripts)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  return named.filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, `${path}.ts`)));
}

/** Returns the anchors that GitHub makes of the headings of a page. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading.toLowerCase());
  return headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"));
}

describe.each(texts)("%s", (path, text) => {
  it("is wrapped at 100 columns, tables and code at 110", () => {
    let code = false;
    const wide = text.split("\n").filter((line) => {
      if (line.trimStart().startsWith("```")) code = !code;
      return stringWidth(line) > (code || line.startsWith("|") ? 110 : 100);
    });
    expect(wide).toEqual([]);
  });

  it("has no table whose rows a formatter has joined", () => {
    const outside = text.replaceAll(/^```[^]*?^```/gm, "").split("\n");
    expect(outside.filter((line) => !line.startsWith("|") && /\S \| \S/.test(line))).toEqual([]);
  });

  it("names files that exist", () => expect(missingFiles(text)).toEqual([]));

  it("links to existing files and headings", () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    for (const [link, file = "", anchor] of links) {
      const target = file === "" ? path : join(dirname(path), file);
      expect([link, existsSync(join(root, target))]).toEqual([link, true]);
      if (anchor !== undefined)
        expect([link, anchorsOf(documentText(target))]).toEqual([link, expect.arrayContaining([anchor])]);
    }
  });

  it("has YAML examples that parse as config or map files", async () => {
    for (const { text: yaml } of blocksOf(text).filter(({ language }) => language === "yaml")) {
      if (/^(?:stacks|repositories|redaction):/m.test(yaml)) await parseConfig(yaml, path);
      else if (/^(?:connections|webhooks):/m.test(yaml)) parseMapFile(yaml, path);
    }
  });
});

it("the comments of src name files that exist", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const sources = files.filter((name) => name.endsWith(".ts"));
  const missing = sources.flatMap((name) => missingFiles(readFileSync(join(root, "src", name), "utf8")));
  expect(missing).toEqual([]);
});

it("the README links to every page of the documentation", () => {
  const readme = documentText("README.md");
  expect(documentPaths().filter((path) => path !== "README.md" && !readme.includes(`(${path})`))).toEqual([]);
});
