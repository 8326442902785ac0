import { signs } from "../domain/redaction/sign.ts";
import type { Sign } from "../domain/redaction/sign.ts";

/** The version of `@secretlint/secretlint-rule-preset-recommend` whose rules were read for the signs below. */
const READ_VERSION = "11.7.1";

const ID = (name: string): string => `@secretlint/secretlint-rule-${name}`;

/**
 * What every text contains in which a rule reports something, read from the rule's own expressions: a literal that they
 * cannot match without, and of what has to follow it as much as is plain. Rules look at texts of the path `records.txt`.
 */
export const SIGNS_OF_RULES: Readonly<Record<string, readonly Sign[]>> = {
  // Its scan for account ids is off unless asked for.
  [ID("aws")]: signs(["secretaccesskey", "secret_accesskey", "secretaccess_key", "secret_access_key"], {
    spelled: "any-case",
    after: /["']?\s*(?::|=>|=)\s*["']?[A-Za-z0-9/+=]{40}/y,
  }),
  // Only opens files called .p12 and .json.
  [ID("gcp")]: [],
  [ID("privatekey")]: signs(["PRIVATE KEY"]),
  // Its other two look at package.json and .npmrc alone.
  [ID("npm")]: signs(["npm_"], { after: /[A-Za-z0-9_]{36}/y }),
  [ID("basicauth")]: signs(["://"], { after: /[-\w]{1,256}:[-\w]{1,256}@/y }),
  [ID("slack")]: [
    ...signs("xoxb- xoxp- xapp- xoxa- xoxo- xoxr-".split(" "), { after: /[a-zA-Z0-9]{1,40}-/y }),
    ...signs(["hooks.slack.com/services/t"], { spelled: "any-case" }),
  ],
  [ID("sendgrid")]: signs(["SG."], { after: /\w{1,128}\./y }),
  [ID("shopify")]: signs("shppa_ shpca_ shpat_ shpss_".split(" "), { after: /[a-zA-Z0-9]{32}/y }),
  [ID("github")]: [
    ...signs("ghp_ gho_ ghu_ ghs_ ghr_".split(" "), { after: /\w{36}/y }),
    ...signs(["github_pat_"], { after: /\w{82}/y }),
  ],
  [ID("openai")]: signs(["T3BlbkFJ"]),
  [ID("anthropic")]: signs(["sk-ant-api0"], { after: /\d-[-\w]{90}/y }),
  [ID("linear")]: signs(["lin_api_"], { after: /\w{32}/y }),
  [ID("1password")]: signs(["ops_ey"], { after: /[A-Za-z0-9+/=]{100}/y }),
  [ID("database-connection-string")]: signs(
    "mongodb:// mongodb+srv:// mysql:// mysqlx:// postgres:// postgresql://".split(" "),
    { spelled: "any-case", after: /[^:/\s]{1,100}:[^@/\s]{1,200}@/y },
  ),
};

/** The signs of all rules; undefined for a version that has not been read, of which every text has to be scanned. */
export function signsOfVersion(version: unknown): readonly Sign[] | undefined {
  return version === READ_VERSION ? Object.values(SIGNS_OF_RULES).flat() : undefined;
}
