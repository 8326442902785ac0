import { expect, test } from "vitest";
import { createCredentialMask, isHtmlPage, singleLine, textOfHtml } from "../../../src/client/error-body.ts";

test.each([
  ["plain", 10, "plain"],
  ["one\r\n two\t three ", 20, "one two three"],
  ["a\u0000b\u001bc\u009bd\u200be\u202ef", 20, "abcdef"],
  ["😀😀😀", 3, "😀😀😀"],
  ["😀😀😀😀", 3, "😀😀…"],
  ["", 3, ""],
])("the single line of %j in %i characters is %j", (text, max, expected) => {
  expect(singleLine(text, max)).toBe(expected);
});

test.each([
  ["<!DOCTYPE html><title>Error</title><pre>Cannot GET /x</pre>", "Cannot GET /x"],
  [
    "<html><head><style>p{}</style><script>if (1<2) go()</script></head><body>a &amp;&nbsp;b &lt;c&gt;</body></html>",
    "a & b <c>",
  ],
  ["<html><title>Only a title</title><body></body></html>", "Only a title"],
])("the text of the HTML page %j is found", (html, expected) => {
  expect(isHtmlPage(html)).toBe(true);
  expect(singleLine(textOfHtml(html), 100)).toBe(expected);
});

test("a plain sentence is not taken for an HTML page", () => {
  expect(isHtmlPage("Too many requests, please try again later.")).toBe(false);
});

test("only the beginning of an HTML page is read, since unclosed tags would take long", () => {
  const page = "<script <!--<".repeat(2000);
  expect(textOfHtml(page)).toBe(textOfHtml(page.slice(0, 8192)));
});

test("the credential is masked anywhere in a text, but not a part too short to be secret", () => {
  expect(createCredentialMask(["abcd", "ab"])("abcd ab xabcdx")).toBe("«credential» ab x«credential»x");
  expect(createCredentialMask(["a.c+d"])("bad a.\nc +d, abc+d")).toBe("bad «credential», abc+d");
});
