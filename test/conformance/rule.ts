/** A stack that rules are tried on; of managed ones there is what is described of the next release, too. */
export type StackName = "self-hosted" | "managed" | "managed-next";

/** By a word for them, the stacks that a rule is tried on. */
const TRIED_ON = {
  "self-hosted": ["self-hosted"],
  managed: ["managed", "managed-next"],
  "managed-now": ["managed"],
  next: ["managed-next"],
  newer: ["self-hosted", "managed-next"],
  now: ["self-hosted", "managed"],
  any: ["self-hosted", "managed", "managed-next"],
} as const satisfies Readonly<Record<string, readonly StackName[]>>;

export type Only = keyof typeof TRIED_ON;

/** Something that is not there. */
export const ABSENT = Symbol("absent");
/** Something that is there, whatever it is. */
export const ANY = Symbol("any");

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json | undefined };
export type JsonObject = { readonly [member: string]: Json | undefined };
export type Expected = Json | typeof ABSENT | typeof ANY;

/** The answer of a record's own GET, sent back with some members changed or taken out. */
export interface Echo {
  readonly echoOf: string;
  readonly with: Readonly<Record<string, Json | typeof ABSENT>>;
}

/**
 * A request and what its answer is. A text `@name` stands for the id of a record, `@name.tiles.0.id` for a member of it. The records
 * that every rule finds are in world.ts; `given` and `as` name further ones.
 */
export interface Step {
  /** Such as `PUT alerts/@alert`; left out where it is the topic's. */
  readonly request?: string;
  readonly body?: Json | Echo;
  /** The server's words; the status is then 400. */
  readonly refused?: string;
  /** Where it is neither 200 nor that of a refusal. */
  readonly status?: number;
  /**
   * Members of the answer, by path. An accepted write answers with what was sent and with the defaults of compare.ts; whatever is
   * otherwise has to stand here.
   */
  readonly members?: Readonly<Record<string, Expected>>;
  /** The name of a record that the list in the answer shows as that record is. */
  readonly listed?: string;
  /** The name of the record in the answer; a create without one is called `it`. */
  readonly as?: string;
}

export interface Rule extends Step {
  /** The case, in words: what happens follows from the rest. */
  readonly rule: string;
  /** Numbers of the recordings that show it; left out where it is from the description. */
  readonly recorded?: readonly number[];
  /** Other stacks have nothing of the kind, or publish otherwise. */
  readonly only?: Only;
  /** Needs a stack that has no other records of the kind. */
  readonly alone?: true;
  /** Records that are made first: name, kind and body. */
  readonly given?: Given;
  /** The answer of the record's GET is accepted by PUT, and changes nothing. */
  readonly echo?: "kept";
  readonly after?: readonly Step[];
}

/** A rule with all that its topic says. */
export type FullRule = Rule & { readonly topic: string; readonly request: string };

/** Name, kind and body of records to make. */
export type Given = readonly (readonly [name: string, kind: string, body: JsonObject])[];

export interface Topic {
  readonly topic: string;
  /** The request of rules that name none. */
  readonly request?: string;
  /** For rules that do not say it themselves. */
  readonly only?: Only;
  readonly rules: readonly Rule[];
}

/** Whether a rule is tried on the stack. */
export function isTriedOn({ only = "any" }: { readonly only?: Only }, stack: StackName): boolean {
  const stacks: readonly StackName[] = TRIED_ON[only];
  return stacks.includes(stack);
}

export function echo(echoOf: string, changes: Echo["with"] = {}): Echo {
  return { echoOf, with: changes };
}

export function isEcho(body: Json | Echo): body is Echo {
  return typeof body === "object" && body !== null && "echoOf" in body && "with" in body;
}
