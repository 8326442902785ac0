import type { Sign } from "./sign.ts";

/** A stretch of a text that is a secret, as offsets into it, and the rule that found it. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

/** Finds secrets by their form. Spans may overlap. */
export interface SecretScanner {
  (text: string): Promise<readonly SecretSpan[]>;
  /** Every text in which it finds something has one of these. Without them every text has to be scanned. */
  readonly signs?: readonly Sign[] | undefined;
}

/** `strict` takes out certificates, ARNs, account numbers and any long random text as well. */
export type RedactionLevel = "standard" | "strict";

/** A form of secret that only this team has. */
export interface SecretPattern {
  readonly rule: string;
  /** Source of a regular expression; what it matches is taken out. */
  readonly pattern: string;
}

/** What stays although a rule would take it out. Every member that is given has to fit. */
export interface RedactionException {
  readonly rule?: string;
  readonly kind?: string;
  /** JSON pointer; `*` stands for any one token. */
  readonly pointer?: string;
  /** The name of the member. */
  readonly name?: string;
  /** Source of a regular expression that fits the whole of what would be taken out. */
  readonly pattern?: string;
}

/** What a team adds to the rules that everybody has. */
export interface RedactionRules {
  /** More member names that say credential, compared by their words: `teamPin` is `team-pin` too. */
  readonly names?: readonly string[];
  readonly patterns?: readonly SecretPattern[];
  /** Declared secrets are never excepted. */
  readonly exceptions?: readonly RedactionException[];
}

/** What a redactor goes by. */
export interface RedactionPolicy extends RedactionRules {
  readonly level?: RedactionLevel;
  readonly scanner?: SecretScanner;
  /** Secrets known by their value. */
  readonly literals?: readonly string[];
  /** Runs every rule on every text, whatever signs there are in it: slow, and for proving that signs lose nothing. */
  readonly everyRule?: boolean;
}
