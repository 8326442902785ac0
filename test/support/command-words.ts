/** Splits a shell command into words as a shell does. Supports quotes, a backslash before one character, and variables of `env`. */
export function commandWords(command: string, env: Readonly<Record<string, string>> = {}): string[] {
  const filled = command.replaceAll(/\$\{?([A-Z_]+)\}?/g, (slot, name: string) => env[name] ?? slot);
  return [...filled.matchAll(/(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'|\\(.)/g, (_, double?: string, single?: string, escaped?: string) =>
      String(double ?? single ?? escaped),
    ),
  );
}

/** Returns the arguments of every `stackferry` command in a shell script. A backslash continues a line. */
export function stackferryCommands(script: string, env: Readonly<Record<string, string>> = {}): string[][] {
  return script
    .replaceAll("\\\n", " ")
    .split(/\n|&&|;/)
    .map((line) => line.trim().replace(/^exec /, ""))
    .filter((line) => line.startsWith("stackferry "))
    .map((line) => commandWords(line, env).slice(1));
}
