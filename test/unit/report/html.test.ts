import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { html, htmlLines, markupOf } from "../../../src/report/html/html.ts";
import { propertyRuns } from "../../support/tries.ts";
import { anyCharacter } from "../../support/any-character.ts";

describe("html", () => {
  it("escapes inserted text, in text and in quoted attributes", () => {
    const evil = `<script>"'&`;
    expect(markupOf(html`<a title="${evil}">${evil}</a>`)).toBe(
      '<a title="&lt;script&gt;&quot;&#39;&amp;">&lt;script&gt;&quot;&#39;&amp;</a>',
    );
  });

  it("preserves inserted markup, joins lists, and leaves out false and undefined", () => {
    const items = [html`<b>1</b>`, "<2>"];
    expect(markupOf(html`${items}${false}${undefined}${0}`)).toBe("<b>1</b>&lt;2&gt;0");
  });

  it("escapes every character that can begin markup or end an attribute, in any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(markupOf(html`${text}`)).not.toMatch(/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/);
        expect(markupOf(htmlLines(text))).not.toMatch(/[<>"']/);
      }),
      propertyRuns(),
    );
  });

  it("does not take an object from JSON for markup", () => {
    const forged: unknown = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>"}');
    expect(() => markupOf(html`${forged as string}`)).not.toThrow();
    expect(markupOf(html`${forged as string}`)).not.toContain("<script>");
  });

  it("removes the indentation of templates", () => {
    expect(
      markupOf(
        html`<p>
          <b>a</b>
          <i />
        </p>`,
      ),
    ).toBe("<p><b>a</b><i/></p>");
    const part = html`<i>x</i>`;
    expect(
      markupOf(
        html`<p>
          ${part}
          <b>a</b>
          ${part} and ${part}
        </p>`,
      ),
    ).toBe("<p><i>x</i><b>a</b><i>x</i> and <i>x</i></p>");
    expect(markupOf(html`<b>a</b> ${part} <b>b</b>`)).toBe("<b>a</b> <i>x</i> <b>b</b>");
  });
});
