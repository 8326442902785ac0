/** How the name of a rule looks: it becomes part of a placeholder. */
export const RULE_NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** A form of secret that only this team has. */
export interface SecretPattern {
  readonly rule: string;
  /** Source of a regular expression. What it matches is taken out. */
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
