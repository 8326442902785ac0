/** A double-quoted YAML scalar. Names come from a stack: what could end the line or steer a terminal is escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xff_ff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
