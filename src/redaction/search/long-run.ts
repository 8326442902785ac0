/** No token that begins with anything has fewer characters in a row. */
const LENGTH = 20;
const IS_OF_TOKEN = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w+/-]/.test(String.fromCharCode(code))));

/** Whether a text has so many characters of tokens in a row. Hardly any has, so every twentieth is looked at first. */
export function hasLongRun(text: string): boolean {
  for (let end = LENGTH - 1; end < text.length;) {
    let at = end;
    while (at > end - LENGTH && IS_OF_TOKEN[text.charCodeAt(at)] === 1) at -= 1;
    if (at === end - LENGTH) return true;
    end = at + LENGTH;
  }
  return false;
}
