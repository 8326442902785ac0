/** Short forms, by letter. They are spelled out before anything else reads the line. */
export const shortFlags: Readonly<Record<string, string>> = { h: "help", q: "quiet", v: "verbose", y: "yes" };

/** A line with its short forms spelled out: `-q` is `--quiet`. What follows `--` is no flag. */
export function withLongFlags(argv: readonly string[]): readonly string[] {
  // Alone, it is what most programs print their version for.
  if (argv.length === 1 && /^-v$/i.test(argv[0] ?? "")) return ["--version"];
  const end = argv.indexOf("--");
  return argv.map((word, index) => {
    const name = /^-[a-z]$/.test(word) ? shortFlags[word.slice(1)] : undefined;
    return name === undefined || (end >= 0 && index > end) ? word : `--${name}`;
  });
}
