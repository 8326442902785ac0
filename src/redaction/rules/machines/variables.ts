import { CREDENTIAL_WORDS } from "../../values/names.ts";
import type { NameTest } from "../../values/names.ts";
import { looksOdd, looksRandom, looksSecret } from "../../values/secret-value.ts";
import type { SecretSpan } from "../../spans.ts";
import { isSpoken } from "../../values/phrases.ts";
import type { TextRule } from "../text-rule.ts";
import { VALUE, isAny } from "./after-words.ts";

/** Flags between the command and the name: `set -gx`, `setx /M`, `secret set --app x`. */
const FLAGS = String.raw`(?:[ \t]{1,3}(?:--?[A-Za-z][\w-]{0,20}(?:=\S{1,60})?|\/[A-Za-z]{1,2})){0,4}`;
/** What gives a variable or a key of a store its value, with nothing but a blank or a comma between the two. */
const COMMAND = String.raw`(?:(?<![\w-])(?:setx?|setenv|ENV|ARG|put|add|(?:proxy_set|add|set|more_set)_headers?|(?:fastcgi|uwsgi)_param|set-header|SetEnv|RequestHeader set|export|declare|typeset|set-env|user-secrets set|secrets? (?:set|add|put|create)|config(?::set| set)?)${FLAGS}[ \t]{1,3}|\b(?:SetEnvironmentVariable|putenv|setenv|setProperty|set_env|put|define|setdefault|getenv|environ\.get)[ ]?\([ ]{0,2}|\b(?:Set|New)-(?:Item|Content)[ \t]{1,3}(?:-Path[ \t]{1,3})?(?=["']?env:))`;
const NAME = String.raw`["'\x60]?(?:env:)?([A-Za-z_/][\w.:/-]{1,80})["'\x60]?`;
const BETWEEN = String.raw`[ \t]{0,2}[, \t][ \t]{0,24}(?:-{1,2}(?:value|body|b|v|data|plaintext)[ =]{1,2})?`;
const GIVEN = new RegExp(`${COMMAND}${NAME}${BETWEEN}${VALUE}`, "gi");
/** A call or a list of two, of which the first is a name: `.header("X-Api-Key", "…")`, `["password", "…"]`. */
const QUOTED_PAIR =
  /(?:\w\(|\[)\\?(["'`])([A-Za-z#[.][\w. /#=[\]-]{1,80})\\?\1, ?\\?(["'`])((?:(?!\3)[^\n\0«\\]){4,512})\\?\3(?=\s{0,8}[)\],])/g;
/** The quotes of cmd are around both. */
const AROUND_BOTH =
  /(?<![\w-])(?:set|env|export|-e|--env|--build-arg|-D)[ \t]{1,3}(["'])([A-Za-z_][\w.-]{1,60})=((?:(?!\1)[^\n\0«]){4,256})\1/gi;
const SPEAKS = new RegExp(CREDENTIAL_WORDS.join("|"), "i");

/** Variables of shells and keys of stores that are given a value without a sign: `set -x NAME VALUE`, `ENV NAME VALUE`. */
export function variableRule(named: NameTest): TextRule {
  const find = (text: string, expression: RegExp): SecretSpan[] =>
    [...text.matchAll(expression)].flatMap((match): SecretSpan[] => {
      const groups = match.slice(1).filter((group) => group !== undefined && !/^["'`]$/.test(group));
      const [name = "", value = ""] = groups;
      if (!SPEAKS.test(name) || !isGivenTo(name, value, named)) return [];
      const start = match.index + match[0].lastIndexOf(value);
      return [{ start, end: start + value.length, rule: "assigned-secret" }];
    });
  return {
    words: [
      ..."set ,set_header,add_header,_param,set-header,setx,setenv,env ,arg ,put,add ,export,declare,typeset,-item,-content,setproperty,define,config,environ,-e ,-d ,build-arg".split(
        ",",
      ),
      ...['"', "'", "`", '\\"'].flatMap((quote) => [`${quote},${quote}`, `${quote}, ${quote}`]),
    ],
    hint: new RegExp(
      String.raw`${COMMAND}["'\x60]?[\w./:-]{0,60}(?:${CREDENTIAL_WORDS.join("|")})|(?:set|env|export|-e|-arg|-D)[ \t]{1,3}["'][A-Za-z_][\w.-]{1,60}=|(?:\w\(|\[)\\?["'\x60][A-Za-z#[.][\w. /#=[\]-]{1,80}\\?["'\x60], ?\\?["'\x60]`,
      "i",
    ),
    find: (text) => [
      ...find(text, GIVEN),
      ...find(text, AROUND_BOTH),
      ...find(text, QUOTED_PAIR).filter(({ start, end }) =>
        isMadeUp(text.slice(Math.max(0, start - 120), start), text.slice(start, end)),
      ),
    ],
  };
}

/** Calls that give what the first of their arguments names the second as its value. */
const GIVES =
  /(?:env|header|set\w{0,12}|put|define|else|config|option|propert\w{1,3}|fill|type)\(\\?["'`][^"'`\n]{1,90}["'`], ?\\?["'`]$/i;

/** Of other calls and lists, which have names and messages too, only what was drawn by lot. */
function isMadeUp(before: string, value: string): boolean {
  return (looksOdd(value) && GIVES.test(before)) || (looksRandom(value) && /\d\D+\d/.test(value));
}

function isGivenTo(name: string, value: string, named: NameTest): boolean {
  const last = name.split(/[/:]/).findLast((part) => part !== "") ?? name;
  const strength = named(last) ?? named(name);
  if (strength === undefined || !isAny(value) || /(?<![\w+/]{20}=?)=$/.test(value)) return false;
  if (/\s/.test(value)) return strength === "strong" && isSpoken(value);
  // A word of a sentence has no joints: `add password Reset2`.
  if (!/[_./:]|[A-Z]{3}/.test(name)) return looksOdd(value) || looksRandom(value);
  return looksSecret(value, { strength, tight: /[_.:/]/.test(name) && /\d|[A-Z]/.test(value) });
}
