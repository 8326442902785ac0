import { CREDENTIAL_WORDS, wordsOf } from "./credential-name.ts";
import type { NameStrength } from "./credential-name.ts";
import { signs } from "./sign.ts";
import type { Sign } from "./sign.ts";

/** What a name in a text contains that `credentialName` or the team's own names take for one of a credential. */
export function credentialSigns(own: readonly string[], after: Readonly<Record<NameStrength, RegExp>>): Sign[] {
  // Names in text are ASCII; what has other letters is only ever the name of a member.
  const added = own.map((name) => wordsOf(name).join("")).filter((name) => /^[a-z\d]+$/.test(name));
  return [
    ...signs(CREDENTIAL_WORDS.strong, { spelled: "any-case", after: after.strong }),
    ...signs([...CREDENTIAL_WORDS.pairs, ...added], { spelled: "any-joint", after: after.strong }),
    ...signs(CREDENTIAL_WORDS.weak, { spelled: "any-case", after: after.weak }),
  ];
}
