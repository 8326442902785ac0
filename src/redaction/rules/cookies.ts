import { valueRule, valueSpans, type TextRule } from "../spans.ts";
import { hasRandomCookie, looksRandom } from "../values/secret-value.ts";

/** Matches session cookies anywhere in a text, by their names. */
const SESSION =
  /(?<![?&\w])(?:(?:JSESSIONID|PHPSESSID|ASPSESSIONID\w{1,12}|connect\.sid|sessionid|ASP\.NET_SessionId|remember_(?:me|token|user)\w{0,60}|laravel_session|grafana_session|\.AspNetCore\.\w{1,40})|(?<![A-Za-z\d])_\w{2,30}_session)["']?[ ]?[=:][ ]?["']?([^\s"'\x60;,<>()\0«]{16,4096})/g;
/** Matches cookies that are given to curl. */
const GIVEN_TO_CURL = /(?:^|[\s\x60"'(])(?:-b|--cookie)[ =]{0,2}["']?(?=[^\s"']{0,60}=)([^\n"'\0«]{8,4096})/g;
/** Matches the value of a header for cookies. */
const HEADER =
  /(?<![A-Za-z])(?:set-)?cookies?["']?(?:\s(?:header|string|value|jar))?(?:\s{0,3}[:=]|\sis\s|,)\s{0,3}(?:\{\s?)?["'\x60]?((?=[^\s"']{0,80}=)[^\n"'\x60\0«]{8,4096})/gi;

export const cookieRules: readonly TextRule[] = [
  valueRule("sessi phpsess asps .sid remember_ _session .aspnetcore".split(" "), SESSION, looksRandom),
  valueRule(["-b ", "-b=", "-b'", '-b"', "--cookie"], GIVEN_TO_CURL, hasRandomCookie),
];

export const cookieHeaderRule: TextRule = {
  words: ["cookie"],
  find: (text) => valueSpans(text, HEADER, hasRandomCookie).map((span) => ({ ...span, rule: "cookie" })),
};
