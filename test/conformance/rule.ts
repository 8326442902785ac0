/**
 * A stack on which rules are tried. The keys of the last two lack the rights in sandbox-stack.ts.
 */
export type StackName = "self-hosted" | "managed" | "self-hosted-limited" | "managed-limited";

/** The stacks on which a rule is tried, by a word for them. */
const TRIED_ON = {
  "self-hosted": ["self-hosted"],
  managed: ["managed"],
  any: ["self-hosted", "managed"],
  "self-hosted-limited": ["self-hosted-limited"],
  "managed-limited": ["managed-limited"],
} as const satisfies Readonly<Record<string, readonly StackName[]>>;

export type Only = keyof typeof TRIED_ON;

/** Stands for a missing member. */
export const ABSENT = Symbol("absent");
/** Stands for a member with any value. */
export const ANY = Symbol("any");

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json | undefined };
export type JsonObject = { readonly [member: string]: Json | undefined };
export type Expected = Json | typeof ABSENT | typeof ANY;

/** The response to a record's GET, sent back with some members changed or removed. */
export interface Echo {
  readonly echoOf: string;
  readonly with: Readonly<Record<string, Json | typeof ABSENT>>;
}

/**
 * A request and the expected response. A text such as `@name` stands for the id of a record, and `@name.tiles.0.id` for a
 * member of it. Names are those of the records in world.ts, and those that `given` and `as` add.
 */
export interface Step {
  /** A request such as `PUT alerts/@alert`; by default, that of the topic. */
  readonly request?: string;
  readonly body?: Json | Echo;
  /** The server's message; the expected status is then 400. */
  readonly refused?: string;
  /** The expected status, if it is neither 200 nor the 400 of a refusal. */
  readonly status?: number;
  /**
   * Expected members of the response, by path. The response to an accepted write must otherwise equal what was sent, with the
   * defaults of compare.ts.
   */
  readonly members?: Readonly<Record<string, Expected>>;
  /** The name of a record that the list in the response must show as its GET does. */
  readonly listed?: string;
  /** The name for the record in the response; by default, `it`. */
  readonly as?: string;
}

export interface Rule extends Step {
  /** The case in words. The other members tell what happens. */
  readonly rule: string;
  /** Numbers of the recordings that show the rule; absent if the rule is from the description. */
  readonly recorded?: readonly number[];
  /** The stacks on which the rule is tried, if it does not hold on every stack. */
  readonly only?: Only;
  /** Whether the stack must not have other records of this kind. */
  readonly alone?: true;
  /** Records to create before the request: name, kind and body. */
  readonly given?: Given;
  /** Whether a PUT with the response of the record's GET is accepted and changes nothing. */
  readonly echo?: "kept";
  readonly after?: readonly Step[];
}

/** A rule with the defaults of its topic. */
export type FullRule = Rule & {
  readonly topic: string;
  readonly request: string;
  /** Whether the rule is one recorded exchange, which replay.test.ts sends to the self-hosted sandbox as it was recorded. */
  readonly replayed?: true;
};

/** Records to create: name, kind and body. */
export type Given = readonly (readonly [name: string, kind: string, body: JsonObject])[];

export interface Topic {
  readonly topic: string;
  /** The request of rules without one. */
  readonly request?: string;
  /** The stacks of rules that do not name their own. */
  readonly only?: Only;
  readonly rules: readonly Rule[];
}

/** Returns whether a rule is tried on the stack. */
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
