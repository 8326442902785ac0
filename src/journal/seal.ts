import { createHmac } from "node:crypto";
import { StackferryError } from "../core/errors.ts";

// A journal's lines end with a code that needs this machine's key, over the line and all lines before it. The code of the last
// line vouches for the whole journal. Whoever sends an archive with a journal beside it does not have the key.

const CODE = /,"mac":"([0-9a-f]{64})"\}$/;

/** A line without its code, and the code. */
export function splitSeal(line: string): { readonly body: string; readonly mac: string | undefined } {
  const mac = CODE.exec(line)?.[1];
  return { body: mac === undefined ? line : line.replace(CODE, "}"), mac };
}

/** Seals lines one after the other. */
export class SealChain {
  readonly #key: Buffer;
  #last = "";

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** The code of the next line. */
  next(body: string): string {
    this.#last = createHmac("sha256", this.#key).update(`${this.#last}\n${body}`).digest("hex");
    return this.#last;
  }

  /** Takes the lines of a journal in. Says whether the last of them was sealed with this key. */
  follow(lines: readonly string[]): boolean {
    let proven = true;
    for (const line of lines) {
      const { body, mac } = splitSeal(line);
      proven = this.next(body) === mac;
    }
    return proven;
  }

  /** The lines with their codes, stored by `store`. Where that fails, they never were. */
  async seal(bodies: readonly string[], store: (lines: string[]) => Promise<void>): Promise<void> {
    const before = this.#last;
    try {
      await store(bodies.map((body) => `${body.slice(0, -1)},"mac":"${this.next(body)}"}`));
    } catch (error) {
      this.#last = before;
      throw error;
    }
  }
}

/** A journal that somebody may have made up: it says what is to be deleted. */
export function unprovenJournal(path: string, lines: readonly string[]): StackferryError {
  const isSealed = splitSeal(lines.at(-1) ?? "").mac !== undefined;
  const why = isSealed
    ? "was made on another machine or by another user, or was changed since"
    : "has no proof of who made it: it is of an earlier version, or was made where no key can be kept";
  const hint =
    "If you know that it is yours, name it with --journal and add --trust-journal (a rollback needs only the second). " +
    "Otherwise move it away.";
  return new StackferryError("journal", `the journal ${path} ${why}`, { hint });
}
