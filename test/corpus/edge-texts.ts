import { BASE64, HEX } from "./tokens.ts";
import { seededRandom } from "../support/seeded-random.ts";

const NAMES =
  "password,PASS,dbPwd,api_key,Api Key,encryption key,master key,access token,api token,client secret,passphrase,secret thing,x.secret-y,token,auth_x,token thing,Cookie,jwt,sas,bearer,Basic,apikey,api-key,splunk,geniekey,genie-key,identified by,identified with plain by,--password,-token,--api-key,x --user,x -u,x --proxy-user,docker x,podman x,helm x,sshpass,redis-cli,htpasswd,mysql x,ldapsearch,?sig,&amp;otp,#code,sid,?a[token][b],teamPin,acc.ess_key,connection-uri,plain".split(
    ",",
  );
const JOINTS = [
  ...'=,==,: ,:, := ,=> ,->, is , was , TO , IDENTIFIED BY , != ,>, > ,\'] = ,\\": \\",":","=", -p ,: \',=", ", = `, '.split(
    ",",
  ),
  "\t",
  " '",
];
/** Lengths just below and just above the limits of the rules. */
const LENGTHS = [3, 4, 5, 6, 7, 8, 11, 12, 13, 19, 20, 23, 24, 25, 29];
const cut = (text: string): string[] => LENGTHS.map((length) => text.slice(0, length));
const VALUES = [
  ...cut("qwertzuiopasdfghjklyxcvbnmqwe"),
  ...cut("KwErTzUiOpAsDfGhJkLyXcVbNmQwE"),
  ...LENGTHS.map((length) => `${"kWjXqZvBnMpLrTsDfGhKcNwQeYuIo".slice(0, length - 1)}7`),
  ...cut("12345678901234567890123456789"),
  ...[2, 6, 11, 12, 15, 22, 23].map((at) => `${"kWjXqZvBnMpLrTsDfGhKcNwQeYuIo".slice(0, at)}\\"8xKq`),
  "n0tReal1!",
  "user:pw12x",
  btoa("u:p"),
  btoa("u:pw"),
  btoa("u:pw1"),
  btoa("user:pa55"),
];

/**
 * Returns every name of a credential with every joint and every value. The values are just long enough for some rule, or just
 * too short.
 */
export function* assignedEdges(): Generator<string> {
  let count = 0;
  for (const name of NAMES)
    for (const joint of JOINTS)
      for (const value of VALUES) yield `${name}${joint}${value}${["", " x", "'"][(count += 1) % 3]}`;
}

const PREFIXES =
  "eyJ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-1- rk_live_ rk_test_ sk_live_ sk_test_ whsec_ AKIA ASIA ABIA ACCA AROA AIDA AIza ya29. GOCSPX- sk- sk-proj- npm_ pypi- SG. glsa_ glc_ NRAK- NRII- NRAA- NRBR- NRJS- 12345678:AA 1234567890:AA doo_v1_ dop_v1_ dor_v1_ dapi hvs. hvb. hvr. hf_ ATATT3 ATCTT3 ATBB key- SK shpat_ shpca_ shppa_ shpss_ sq0atp- sq0csp- sq0idp- pscale_tkn_ pscale_pw_ pscale_oauth_ lin_api_ lin_oauth_ ntn_ figd_ dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dckr_pat_ dckr_oat_ AGE-SECRET-KEY-1 sntrys_ sntryu_ /bot12345678:".split(
    " ",
  );
const HOSTS =
  "hooks.slack.com/,hooks.slack-gov.com/,discord.com/api/webhooks/,ptb.discordapp.com/api/v9/webhooks/,x-y.webhook.office.com/webhookb2/,outlook.office365.com/webhook/,chat.googleapis.com/v1/spaces/,hooks.zapier.com/hooks/,hook.eu1.make.com/,hook.integromat.com/,maker.ifttt.com/trigger/,api.telegram.org/bot1,events.eu.pagerduty.com/integration/,alert.victorops.com/integrations/,api.incident.io/v2/alert_events/http/,open.feishu.cn/open-apis/bot/,open.larksuite.com/open-apis/bot/,hc-ping.com/,webhook.site/,api.webhook.site/,a.b/x/hooks/abcdefghijklmnopqrstuvwxyz,a.b/hooks/abcdefghijklmnopq/ABCDEFGHIJKLMNOPQRSTUV,uptime.betterstack.com/api/v1/heartbeat/,hooks.x.grafana.net/".split(
    ",",
  );
const CALLS =
  "s3('u', 'k', 'x12345'),S3Cluster ('c', 'u', 'k', 'x12345'),gcs('u', 'k', 'x12345'),iceberg('u', 'k', 'x12345'),deltaLake('u','k','x12345'),mysql('h','d','t','u','x12345'),postgresql('h','d','t','u','x12345'),mongodb('h','d','c','u','x12345'),redis('h','k','s','x12345'),remote('h', d.t, 'u', 'x12345'),remoteSecure  ('h','d','u','x12345'),azureBlobStorage('c','b','p','a','x12345')".split(
    ",",
  );

/** Returns every token, address and call that a rule recognises by its form, just long enough or just too short. */
export function* formedEdges(): Generator<string> {
  const random = seededRandom(11);
  const [hex, base64] = [random.text(HEX, 100), random.text(BASE64, 100)];
  const word = base64.replaceAll(/[+/]/g, "x");
  for (const prefix of PREFIXES) {
    for (let length = 5; length < 80; length += 1) {
      const around = ["", "x", "-"][Math.floor(length / 2) % 3] ?? "";
      for (const body of [word, hex, word.toUpperCase(), `${word.slice(0, 24)}.${word}`])
        yield* [`${prefix}${body.slice(0, length)} a`, `${around}${prefix}${body.slice(0, length)}${around}`];
    }
  }
  for (let length = 30; length < 34; length += 1) yield `${hex.slice(0, length)}-us1`;
  for (let length = 74; length < 79; length += 1)
    for (const middle of ["ACAb", "ACDb", "ASt"])
      for (const rest of [5, 6]) yield `${base64.slice(0, length)}${middle}${base64.slice(0, rest)}==`;
  for (const host of HOSTS) for (const rest of ["abcde", "abcdef", "abcdefghij/k"]) yield `(http://${host}${rest})`;
  for (const user of ["", "u", "u".repeat(128), "u".repeat(129)])
    for (const password of ["", ":", ":p", ":p/q?", `:${"p".repeat(256)}`, `:${"p".repeat(257)}`])
      for (const scheme of ["http", "redis"]) yield `${scheme}://${user}${password}@h`;
  for (const call of CALLS) yield* [call, call.toUpperCase(), ` x_${call}`, call.replaceAll("'", "")];
}
