import { BLIND_SETS, blindCases } from "./blind-sets.ts";
import { HARD_LOOK_ALIKES, HARD_SECRETS, KNOWN_MISSES } from "./hard-cases.ts";
import { LOOK_ALIKES } from "./look-alikes.ts";
import { PLANTED } from "./planted-secrets.ts";
import { ALNUM, BASE64, DIGITS, HEX, LOWER, URLSAFE } from "./tokens.ts";
import type { SeededRandom } from "../support/seeded-random.ts";

/** The texts of the sets whose authors had not seen the rules. */
const BLIND_TEXTS = BLIND_SETS.flatMap(blindCases).flatMap(({ value }) => (typeof value === "string" ? [value] : []));
const NAMES =
  "password,passwd,pass,pwd,passphrase,kennwort,secret,apikey,access key,secretAccessKey,aws_secret_access_key,routing-key,connectionString,shared access signature,token,auth,authorization,credentials,cookie,jwt,dsn,bearer,basic,sas,otp,key,signing.key,x-api-key,splunk,genie-key,identified by,identified with x by,--password,--api-key,-p,-u,--user,--proxy-user,docker,mysql,redis-cli,sshpass,set-cookie,id_token,sig,code,sid,x-amz-signature,teamPin".split(
    ",",
  );
const JOINTS =
  '=,==,: ,:, := ,=>,->, is , was , TO , IDENTIFIED BY , != ,>, > ,&,?,#,&amp;, ,  ,\t,\'] = ,\\": \\",":","=", -p , -a,\n,@,://,/, \''.split(
    ",",
  );
const BEGINNINGS =
  "eyJ ghp_ github_pat_ glpat- xoxb- xoxp-1- xapp-1- sk_live_ whsec_ AKIA AIza ya29. GOCSPX- sk- sk-proj- sk-ant-api03- npm_ pypi- SG. glsa_ glc_ NRAK- dop_v1_ dapi hvs. hf_ ATATT3 key- SK shpat_ shppa_ sq0atp- pscale_tkn_ lin_api_ ntn_ figd_ dp.pt. dckr_pat_ AGE-SECRET-KEY-1 sntrys_ :AA /bot12345678: ops_ey T3BlbkFJ -us1 ACDb AStx".split(
    " ",
  );
const WHOLE: readonly string[] = [
  ..."https://,http://,postgres://,mongodb+srv://,mysqlx://,ftp://,user:pw12345@,app:S3cr3t-word@h.example.com/,u:p@@h.io".split(
    ",",
  ),
  ..."hooks.slack.com/services/T01/B01/abcdefgh,discord.com/api/webhooks/1/abcdefgh,x.webhook.office.com/webhookb2/abcdefg".split(
    ",",
  ),
  "https://h.example.com/hooks/abcdefghijklmnopqrstuvwxyz",
  "s3('https://b/x', 'AKID', 'sEcReT12'",
  "remoteSecure ('h', 'd.t', 'u', 'p4ssw0rd')",
  "-----BEGIN RSA PRIVATE KEY-----\n",
  "-----END RSA PRIVATE KEY-----",
  "-----BEGIN CERTIFICATE-----\nMIIabcdefghijklmnop\n",
  "-----END CERTIFICATE-----",
  "PuTTY-User-Key-File-3: ",
  "Private-MAC: ",
  "arn:aws:iam::123456789012:role/",
  "123456789012",
  "«redacted:jwt»",
  "«",
  "»",
  "\0",
  "\ufeff",
  "\u00a0",
  "漢字 ",
  "ſ",
  "K",
];
const LENGTHS = [1, 3, 4, 5, 6, 8, 10, 11, 12, 13, 16, 20, 23, 24, 25, 32, 35, 36, 40, 43, 64, 76, 82, 90, 93, 100];
const ALPHABETS = [ALNUM, LOWER, LOWER.toUpperCase(), DIGITS, HEX, BASE64, URLSAFE, `${ALNUM}!$%'"\\ .,`];
const CASES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.replaceAll(/(?:^|[ _.-])([a-z])/g, (_, letter: string) => letter.toUpperCase()),
];

/** Returns a text of secrets, look-alikes and words that rules search for, cut and joined at random. */
export function splicedText(random: SeededRandom): string {
  const text = Array.from({ length: 1 + random.below(7) }, () => piece(random)).join(
    random.pick(["", "", "", " ", "\n", "-"]),
  );
  const changes = random.below(3);
  return Array.from({ length: changes }).reduce<string>((changed) => mutated(changed, random), text);
}

function piece(random: SeededRandom): string {
  const value = (): string => random.text(random.pick(ALPHABETS), random.pick(LENGTHS));
  return random.pick<() => string>([
    () => random.pick(CASES)(jointed(random.pick(NAMES), random)) + random.pick(JOINTS) + value(),
    () =>
      random.pick(CASES)(random.pick(NAMES)) + random.pick(JOINTS) + random.pick(["'", '"', "`", "\\'", "<"]) + value(),
    () => random.pick(BEGINNINGS) + value(),
    () => random.pick(WHOLE),
    () => random.pick(NAMES) + random.pick(JOINTS),
    value,
    () => whole(random),
  ])();
}

/** Returns a whole secret or look-alike of the corpus. */
function whole(random: SeededRandom): string {
  const made = random.pick([...Object.values(PLANTED), ...Object.values(LOOK_ALIKES)])(random);
  const text = typeof made === "object" && "where" in made ? made.where : made;
  const hard = [...HARD_SECRETS, ...HARD_LOOK_ALIKES, ...KNOWN_MISSES, ...BLIND_TEXTS];
  if (random.below(3) === 0) return random.pick(hard).replace("@@", random.text(ALNUM, 11));
  return typeof text === "string" ? text : JSON.stringify(text);
}

/** Returns the name with other joints between its words, or with joints inside them. */
function jointed(name: string, random: SeededRandom): string {
  const joint = random.pick(["_", "-", ".", " ", ""]);
  if (random.below(4) > 0) return name.replaceAll(/[ _-]/g, joint);
  const at = random.below(name.length);
  return name.slice(0, at) + joint + name.slice(at);
}

/** Returns the text with a character removed, doubled or inserted. */
export function mutated(text: string, random: SeededRandom): string {
  const at = random.below(text.length + 1);
  const other = random.pick(["", "", text.charAt(at).repeat(2), random.pick(JOINTS), random.text(ALNUM, 1)]);
  return text.slice(0, at) + other + text.slice(at + 1);
}
