/** How yargs splits a line: no spelling of a flag but its name, and one value for each use of it. */
export const parserConfiguration = {
  "boolean-negation": false,
  "camel-case-expansion": false,
  "dot-notation": false,
  "greedy-arrays": false,
  "parse-numbers": false,
  "strip-aliased": true,
} as const;
