/** Parser settings of yargs: a flag has one spelling, and each use of it takes one value. */
export const parserConfiguration = {
  "boolean-negation": false,
  "camel-case-expansion": false,
  "dot-notation": false,
  "greedy-arrays": false,
  "parse-numbers": false,
  "strip-aliased": true,
} as const;
