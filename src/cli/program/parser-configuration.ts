/** How yargs splits a line into words: a flag is what it is called, and takes one value at most. */
export const parserConfiguration = {
  "boolean-negation": false,
  "camel-case-expansion": false,
  "dot-notation": false,
  "greedy-arrays": false,
  "parse-numbers": false,
  "strip-aliased": true,
} as const;
