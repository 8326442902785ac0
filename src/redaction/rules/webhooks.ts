import { matchesOf, matchSpans, spanAt, type SecretSpan, type TextRule } from "../spans.ts";
import { looksRandom } from "../values/secret-value.ts";

const REST = String.raw`[^\s"'<>|\\)\]}«\0]`;

/** Services whose addresses are credentials. The host and the path up to the secret stay. */
const HOSTS: readonly (readonly [words: string, host: string])[] = [
  // Chat services.
  ["hooks.slack", String.raw`hooks\.slack(?:-gov)?\.com/`],
  ["discord", String.raw`(?:(?:canary|ptb)\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/`],
  [".webhook.office", String.raw`[\w-]+\.webhook\.office\.com/webhookb2/`],
  ["outlook.office", String.raw`outlook\.office(?:365)?\.com/webhook/`],
  ["chat.googleapis", String.raw`chat\.googleapis\.com/v1/spaces/`],
  ["api.telegram", String.raw`api\.telegram\.org/(?=bot\d)`],
  ["open.feishu open.larksuite", String.raw`open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/`],
  ["api.ciscospark webexapis.com", String.raw`(?:api\.ciscospark|webexapis)\.com/v1/webhooks/incoming/`],
  ["hooks.glip hooks.ringcentral", String.raw`hooks\.(?:glip|ringcentral)\.com/webhook/`],
  ["media.guilded", String.raw`media\.guilded\.gg/webhooks/`],
  ["api.flock", String.raw`api\.flock\.com/hooks/sendMessage/`],
  ["/hooks/", String.raw`[\w.-]+/hooks/(?=[a-z\d]{26}\b)`],
  ["/hooks/", String.raw`[\w.-]+/hooks/(?=[A-Za-z\d]{17,24}/[A-Za-z\d]{20,})`],
  // Services for automation.
  ["hooks.zapier", String.raw`hooks\.zapier\.com/hooks/`],
  ["hook.", String.raw`hook\.[\w.]*(?:make|integromat)\.com/`],
  ["maker.ifttt", String.raw`maker\.ifttt\.com/(?=trigger/|use/)`],
  ["webhook.site", String.raw`(?:api\.)?webhook\.site/`],
  ["hooks.airtable", String.raw`hooks\.airtable\.com/workflows/`],
  [".workato", String.raw`(?:webhooks|hooks)\.workato\.com/webhooks/rest/`],
  [".tines.", String.raw`[\w-]+\.tines\.(?:com|io)/webhook/`],
  ["hooks.torq", String.raw`hooks\.torq\.io/v\d/webhooks/`],
  [".pipedream", String.raw`[\w-]+\.m\.pipedream\.net(?=/|$)`],
  ["api.netlify", String.raw`api\.netlify\.com/build_hooks/`],
  ["api.vercel", String.raw`api\.vercel\.com/v\d/integrations/deploy/`],
  // Paging services.
  [".pagerduty", String.raw`events\.(?:eu\.)?pagerduty\.com/(?=integration/|x-ere/)`],
  ["alert.victorops", String.raw`alert\.victorops\.com/integrations/`],
  ["api.incident", String.raw`api\.incident\.io/v\d/alert_events/http/`],
  [".zenduty", String.raw`(?:api|www|events)\.zenduty\.com/(?:api/)?(?:events|integration)/`],
  ["squadcast", String.raw`(?:api|app|alerts?)\.(?:eu\.)?squadcast\.(?:com|tech)/v\d/incidents/`],
  [".rootly", String.raw`(?:webhooks|app)\.rootly\.com/webhooks/`],
  ["connect.signl4", String.raw`connect\.signl4\.com/webhook/`],
  ["api.pagertree", String.raw`api\.pagertree\.com/integration/`],
  ["api.ilert", String.raw`api\.ilert\.com/api/(?:v\d/)?(?:events|alerts?|heartbeats?)/`],
  ["allquiet", String.raw`(?:[\w-]+\.)?allquiet\.app/api/webhook/`],
  ["hooks.spike", String.raw`hooks\.spike\.sh/`],
  [".grafana.net", String.raw`hooks\.[\w-]+\.grafana\.net/`],
  ["integrations/v1", String.raw`[\w.-]+/(?:oncall/)?integrations/v1/(?=[a-z_]{3,30}/[A-Za-z\d_-]{16,})`],
  // Services that receive heartbeats.
  ["hc-ping.com", String.raw`hc-ping\.com/`],
  ["betterstack betteruptime", String.raw`(?:uptime\.betterstack|betteruptime)\.com/api/v\d/(?=heartbeat/)`],
  ["heartbeat.uptimerobot", String.raw`heartbeat\.uptimerobot\.com/`],
  ["cronitor.link", String.raw`cronitor\.link/`],
  ["trigger.macrodroid", String.raw`trigger\.macrodroid\.com/`],
  ["ntfy.sh", String.raw`ntfy\.sh/(?=[\w-]{0,60}\d)`],
  ["nosnch.in", String.raw`nosnch\.in/`],
  ["api.pushcut api.day", String.raw`api\.(?:pushcut\.io|day\.app)/`],
  ["simplepush notify.run wirepusher", String.raw`(?:simplepush\.io/send|notify\.run|wirepusher\.com)/`],
  [".loggly", String.raw`logs-\d+\.loggly\.com/(?:inputs|bulk)/`],
  ["hub.docker", String.raw`hub\.docker\.com/api/build/v\d/source/`],
  ["script.google", String.raw`script\.google\.com/macros/s/`],
  // Calendars that anybody who knows the address can read.
  ["calendar.google", String.raw`calendar\.google\.com/calendar/ical/[^\s/]{1,120}/(?=private-)`],
  ["outlook.", String.raw`outlook\.(?:office(?:365)?|live)\.com/owa/calendar/[^\s/]{1,120}/`],
  ["ping.checklyhq", String.raw`ping\.checklyhq\.com/`],
  ["cronhub ping.", String.raw`(?:cronhub\.io|ping\.\w+\.io)/ping/`],
  ["api.honeybadger", String.raw`api\.honeybadger\.io/v\d/check_in/`],
  ["/api/push/", String.raw`[\w.:-]+/api/push/`],
];
/** Path segments of endpoints that receive messages. */
const RECEIVERS =
  "webhook webhooks web-hook web-hooks webhook-test webhooks-test web-hook-test web-hooks-test hook hooks incoming inbound push heartbeat heartbeats ping catch trigger triggers deployhook deployhooks deploy-hook deploy-hooks deploy_hook deploy_hooks build_hooks ingest collect notify callback event events checkin checkins check-in check-ins receiver receivers alert alerts integration integrations input inputs send robot feed feeds calendar calendars ical".split(
    " ",
  );
/** Matches the address of a receiver: the text before the last path segment (first group), and that segment (second group). */
const RECEIVER = new RegExp(
  String.raw`(https?:\/\/(?:[\w.-]{0,60}hooks?[.-][\w.-]{1,60}\/|[^\s"'<>|\\)\]}«\0/]{1,200}\/(?:[\w.~-]{1,60}\/){0,5}(?:${RECEIVERS.join("|")})\/)(?:(?!settings|docs)[\w.~-]{1,40}\/){0,3})([\w~-]{16,200})(?![\w.])`,
  "gi",
);

/** Matches an address. Also matches some addresses without their scheme, because people often omit it. */
const ADDRESS =
  /:\/\/|(?<![\w./-])(?:hooks?\.[\w.-]{4,40}\.\w{2,4}\/|(?:(?:canary|ptb)\.)?discord(?:app)?\.com\/api\/|[\w-]+\.webhook\.office|open\.(?:feishu|lark)|api\.telegram\.org\/bot|chat\.googleapis\.com\/v1\/spaces|hc-ping\.com\/|maker\.ifttt|events\.(?:eu\.)?pagerduty\.com\/|cronitor\.link\/|ntfy\.sh\/|nosnch\.in\/|alert\.victorops\.com\/)/i;

/** Rules for webhook paths, for example of chat and paging services: anybody who knows such a path can post to it. */
export const webhookRules: readonly TextRule[] = [
  ...HOSTS.map(([words, host]) => hostRule(words.split(" "), host)),
  {
    words: ["hook.", "hook-", "hooks.", "hooks-", ...RECEIVERS.map((name) => `/${name}/`)],
    find: receiverSpans,
  },
  { words: ["rtmp"], find: streamSpans },
];

function hostRule(words: readonly string[], host: string): TextRule {
  const expression = new RegExp(`((?:https?://|(?<![\\w./:-]))${host})(${REST}{6,})`, "gi");
  const find = (text: string): SecretSpan[] =>
    matchesOf(text, expression).flatMap(({ index, 0: address, 1: kept = "" }) => {
      const path = address.slice(kept.length).replace(/(?<![.,;:!?\x60])[.,;:!?\x60]+$/, "");
      // The path is a stand-in: `services/XXX/YYY/ZZZ`, `YOUR/WEBHOOK/URL`.
      if (/[A-Z]{3}/.test(path) && path.split("/").every((part) => STAND_IN.test(part))) return [];
      return spanAt(index + kept.length, path, "webhook-path");
    });
  return { words, find: (text) => (ADDRESS.test(text) ? find(text) : []) };
}

/** Matches the end of an address for sending a stream: anybody who knows the last segment can broadcast. */
const STREAM = /(?<=\brtmps?:\/\/[\w.:-]{3,80}\/(?:[\w-]{1,20}\/){1,2})[\w?=&-]{16,200}/g;

function streamSpans(text: string): SecretSpan[] {
  return matchSpans(
    text,
    STREAM,
    "webhook-path",
    (key) => looksRandom(key) || /^(?=.*\d)[a-z\d]{4}(?:-[a-z\d]{4}){3,4}$/.test(key),
  );
}

/** Matches a path segment that is a word or a stand-in. */
const STAND_IN = /^(?:[a-z]{1,12}|(?:[A-Z]{1,10}_){0,4}[A-Z]{1,10}|[xX.*]+)$/;

/** Finds the last path segment of a webhook address on any host, if the segment looks random and is not the id of a record. */
function receiverSpans(text: string): SecretSpan[] {
  return matchesOf(text, RECEIVER).flatMap(({ index, 1: kept = "", 2: part = "" }) => {
    // The segment is a date or a title with hyphens.
    if (part.split(/[-_~.]/).every((word) => /^(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|v?\d{1,4})$/.test(word))) return [];
    const isId = /^[\da-f]{24}$/i.test(part) || (UUID.test(part) && !/hook|push|heartbeat|ping|check-?in/i.test(kept));
    if (isId || REPOSITORY.test(kept) || !looksRandom(part)) return [];
    return spanAt(index + kept.length, part, "webhook-path");
  });
}

/** Matches addresses of code repositories. A random segment of such an address is a commit, not a secret. */
const REPOSITORY =
  /\/\/(?:[\w-]{1,40}\.){0,4}(?:github|gitlab|bitbucket|gitea|codeberg|sourcehut|sr\.ht|gitee|git)\b|\/(?:-\/)?(?:commits?|tree|blob|blame|compare|raw|merge_requests|pull|src\/commit)\//i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
