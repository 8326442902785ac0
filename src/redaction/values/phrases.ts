import { isHarmless } from "./harmless.ts";

/** How somebody begins who writes where a secret is, and not the secret. */
const POINTS =
  /^(?:your|(?:my|the|an?)\b(?!.{0,80}\d)|enter|type|see|stored?|from|set|use|change|ask|insert|put|paste|todo|tbd|not|no|none|same|must|should|please|in|on|at|via|to|is|if|when|get|fetch|check|look|kept?|invalid|wrong|missing|required|forgot|reset|new|old|current|confirm|repeat|leave|keep|read|generated?|run|copy)\b|\b(?:vault|1password|bitwarden|keepass|lastpass|keychain|secrets? manager|password|passphrase|secret|token|credentials?|required|invalid|must|here|example|characters?|contact)\b|[<{$]/i;

/** Whether a value of several words, in quotes after a name, is a password that somebody made of words. */
export function isSpoken(value: string): boolean {
  const words = value.trim().split(/\s+/);
  return words.length >= 2 && words.length <= 16 && !POINTS.test(value) && !isHarmless(value) && !/[.:;?]$/.test(value);
}
