import { matchesOf, spanAt, valueRule, type SecretSpan, type TextRule } from "../spans.ts";
import { FOREIGN_PASSWORD, FOREIGN_WORDS, hasForeignWord, isNonSecret } from "../values/non-secrets.ts";
import { isGeneratedResourceName, isWordSequence, looksRandom } from "../values/secret-value.ts";

/** `password policy` is the name of a property. */
const NOT_ABOUT = String.raw`(?![a-z]|[ _-](?:polic|latenc|count|length|expiry|rotat|rules?\b|rates?\b|strength|storage|requirement))`;
const PASSWORD = new RegExp(
  String.raw`(?<![a-z])(?:pass(?:word|wort|wd|phrase|code)?s?|p(?:w|wd|sw|\/w))${NOT_ABOUT}|credential|(?:(?:re)?set|changed) (?:it|them) to(?<=account[^\n]{0,120}(?:set|changed) (?:it|them) to)|(?:shared|agreed|secret) phrase|code ?word|watchword|creds(?![a-z])|login${NOT_ABOUT}|logon|signin|(?:log(?:s|ged|ging)?|signs?|signed|gets?) in(?: to [^\s]{1,30})? (?:as|with)(?![a-z])|basic_?auth|sshpass|bindpw`,
  "gi",
);
/** The expression is slow, and runs only on texts with a foreign word. */
const FOREIGN = new RegExp(FOREIGN_PASSWORD, "gi");
/** `public key` is no secret. */
const KEY =
  /(?<!(?:public|publishable|site|anon|cache|partition|sort|foreign|host|idempotency)[ _-]?)(?:key|token|secret|bearer|credential|auth|webhook)s?(?![a-z])/gi;
const LOGIN_WORD = /secret|token|auth|connect|admin|account|utenz|per entrare|para entrar|[_-]key|key"?[:=]/i;
/** Distances in characters from a word for a login or a key. */
const BEFORE = 400;
const BEHIND = 80;
const CLOSE = 60;

const MARKS = String.raw`\s"'\x60<>«»“”„‘’|;\0`;
const WORD = new RegExp(`(?<![^${MARKS}([{])[^${MARKS}]{8,64}(?![^${MARKS}])`, "g");
const HEX =
  /(?<![\w./-])([\w.-]{0,40}(?:key|token|secret|hmac)|(?:ключ|schlüssel|cl(?:é|ef)|clave|chave|chiave|klucz|kunci|anahtar[ıi]?|nyckel|nøgle|avain|sleutel|api ?키|密钥|キー)[^\n:：\0«]{0,30})(?: for [^\n:\0«]{1,40})?["'\x60*]{0,3}\s{0,3}(?:[:=：]|is|->|(?<=[-_](?:key|token|secret)["'\x60*]{0,3}\s{1,3}))\s{0,3}["'\x60*]{0,2}(?=\d{0,63}[A-Fa-f])([a-f\d]{32,64}|[A-F\d]{32,64})(?![\w-])/gi;
const OTHER_KEY =
  /(?:cache|user|row|partition|sort|object|primary|foreign|trace|span|dedup\w*|idempotency|public|message|group|routing|surrogate|page|next|page_?|cursor|issue|project)[_.-]?(?:key|token)$|primari|foránea|étrangère|fremd|cache|caché|partition|index/i;

const WORDS = [
  ...'clé:,clef:,set it to,set them to,changed it to,changed them to,phrase,code word,codeword,watchword,hmac,pass,pw,psw,p/w,cred,login,logon,signin,log in,logs in,logged in,logging in,sign in,signs in,signed in,get in,gets in,auth,secret,token,connect,admin,account,utenz,per entrare,para entrar,_key,-key,key:,key=,key":,key"='.split(
    ",",
  ),
  ...FOREIGN_WORDS,
];

export const passwordShapedWordRule: TextRule = {
  words: WORDS,
  find: (text) => {
    const words = passwordShapedWords(text);
    if (words.length === 0) return [];
    const loginPlaces = [PASSWORD, ...(hasForeignWord(text) ? [FOREIGN] : [])]
      .flatMap((expression) => placesOf(text, expression))
      .toSorted((left, right) => left - right);
    if (loginPlaces.length === 0 && !LOGIN_WORD.test(text)) return [];
    const keyPlaces = placesOf(text, KEY);
    // Beside `login`, a name with a number may be a machine, so such places do not count for passwords.
    const passwordPlaces = loginPlaces.filter(
      (place) => !/^(?:login|logon|signin)/i.test(text.slice(place, place + 6)),
    );
    return words.filter(({ start, end, value, isPhrase }) => {
      const isClose = isAnyWithin(passwordPlaces, start - CLOSE, start);
      if (isPhrase && isClose) return true;
      if (isOtherThing(value) || ETAG.test(text.slice(Math.max(0, start - 12), start))) return false;
      const isNear = (places: readonly number[]): boolean =>
        isAnyWithin(places, start - BEFORE, start) || isAnyWithin(places, end, end + BEHIND);
      return (
        hasStrongPunctuation(value) ||
        ((isNumbered(value) || isNameWithNumber(value)) && isClose) ||
        (isNamesWithNumber(value) && isNear(passwordPlaces)) ||
        ((hasPunctuation(value) || hasInnerDigits(value)) && isNear(loginPlaces)) ||
        (isRandomAlphanumeric(value) && isNear(keyPlaces))
      );
    });
  },
};

export const hexKeyRule = valueRule([...WORDS, "key'"], HEX, (_, [, name = ""]) => !OTHER_KEY.test(name));

interface ShapedWord extends SecretSpan {
  readonly value: string;
  readonly isPhrase: boolean;
}

function passwordShapedWords(text: string): ShapedWord[] {
  return matchesOf(text, WORD).flatMap(({ index, 0: raw }): ShapedWord[] => {
    const value = raw.replace(/^[(*_]{1,3}/, "").replace(/[.,:)\]}*_。，；」]{1,6}$/, "");
    const isPhrase = isNamesWithNumber(value);
    const isCandidate = isPhrase || (/\d/.test(value) && /[A-Za-z]/.test(value));
    return isCandidate ? [{ ...spanAt(index + raw.indexOf(value), value), value, isPhrase }] : [];
  });
}

function placesOf(text: string, expression: RegExp): number[] {
  return matchesOf(text, expression).map(({ index }) => index);
}

/** `places` are in ascending order. */
function isAnyWithin(places: readonly number[], from: number, to: number): boolean {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((places[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return (places[low] ?? Infinity) < to;
}

const OTHER =
  /^[a-z][\w+.-]*:\/\/|^[\w.+-]+@[\w.-]+$|^--?\w|^[/~.#@]|[/\\=()[\]{}:]|%[\da-f]{2}|\d\.\d|^[A-Z]{2,}-\d+#|,.*,|\.[a-z]{1,5}$|^(?:0x)?[a-f\d-]+$|^\$.*%$/i;
const ETAG = /\betag["']?: (?:W\/)?["']?$/i;
function isOtherThing(value: string): boolean {
  return (
    value.length < 8 ||
    OTHER.test(value) ||
    isNonSecret(value) ||
    isWordSequence(value) ||
    isGeneratedResourceName(value)
  );
}

function hasStrongPunctuation(value: string): boolean {
  if (/[A-Za-z\d][!$§€£](?=[A-Za-z\d]|$)/.test(value)) return true;
  return /[A-Z]/.test(value) && /[a-z]/.test(value) && /[A-Za-z\d][&#@](?=[A-Za-z\d])/.test(value);
}

/** Spares shortcuts such as `Ctrl+Shift+F5`. */
function hasPunctuation(value: string): boolean {
  if (!/[A-Za-z\d][#%^&*+?~@](?=[A-Za-z\d]|$)/.test(value)) return false;
  const isFormula = /^[\w.]+[%^*+?~][\d.]*$|^[\d.]+[%^*+?~][\w.]+$/.test(value);
  return !isFormula && !(/[+&]/.test(value) && value.split(/[+&]/).every((part) => isWordSequence(part)));
}

/** Matches names of standards and products, whose digits do not count. */
const STANDARD =
  /oauth2?|sha-?\d{1,3}|ipv[46]|base(?:32|64)|k8s|i18n|l10n|s3|ec2|log4\w|http[23]|utf-?\d+|x509|ed25519|[rhe]s\d{3}|pkcs\d+|md5|e2e|b2b|fail2ban|socks5|fido2|u?int\d+|float\d+|p\d\d(?!\d)|(?<![a-z])v\d+/gi;
/** Names rarely have digits or capitals in these places: `h4rbour`, `Wk5T`, `pOrt`. */
const ODD_PART =
  /^(?=.{5})[A-Z]?[a-z]*(?:[A-Za-z]\d[a-z]{2}|^[04][a-z]{3})[a-z]*\d{0,4}$|[a-z]\d+[A-Z](?![A-Z])|^[a-z][A-Z][a-z]{3,}$/;

function hasInnerDigits(value: string): boolean {
  const plainValue = value.replaceAll(STANDARD, "x");
  return (
    /[a-z]/.test(plainValue) && /\d/.test(plainValue) && plainValue.split(/[-_.,]/).some((part) => ODD_PART.test(part))
  );
}

/** As in `TallShips3189`. */
function isNumbered(value: string): boolean {
  return /^[A-Z]?[a-z]+(?:[A-Z][a-z]+){1,5}\d{2,6}[!?]?$/.test(value);
}

/** Things such as `node` or `release` are often numbered, and rarely a part of a password. */
const THING = new RegExp(
  `^(?:${[
    "okta,azure,entra,grafana,jenkins,postgres,mysql,redis,kafka,mongo,ubuntu,debian,windows,android,iphone,oracle,elastic,vault",
    "prod,production,staging,stage,test,dev,demo,sandbox,live,wiki,page,event,login,logon,reader,writer,user,role,group,team,admin",
    "meter,build,release,report,ticket,node,rack,room,floor,sprint,week,phase,step,part,chapter,table,figure,section,version,level",
    "tier,zone,region,host,disk,port,queue,job,task,batch,tile,chart,panel,dashboard,alert,source,server,service,cluster,gateway",
    "portal,runbook,access,core,switch,router,mode,desktop,workspace,project,space,channel,calendar,meeting,guide,handbook,manual,checklist,form,nexus,east,west,north,south,end,device,site,plant,unit,line,shift,day,month,year,quarter,series,model,type,class,config,policy,rule,key,token,secret,building",
  ]
    .join("|")
    .replaceAll(",", "|")})s?\\d*$`,
  "i",
);

/** People make passwords such as `Monsoon-Lorry-88`. */
function isNamesWithNumber(value: string): boolean {
  const isForm = /^(?=.*\p{Lu})\p{Lu}?\p{Ll}{2,}(?:[-_.]\p{Lu}?\p{Ll}{2,}){1,5}[-_.]?\d{1,5}[!?#*]?$/u.test(value);
  return isForm && !value.split(/[-_.!?#*]/).some((part) => THING.test(part));
}

/** As in `Bougatsa_2310` and `lyutenitsa55!`. */
function isNameWithNumber(value: string): boolean {
  if (value.split(/[-_.!?#*]|(?=\d)/).some((part) => THING.test(part))) return false;
  return /^\p{Lu}\p{Ll}{4,}[_.]\d{2,5}[!?#*]?$|^\p{Lu}?\p{Ll}{4,}\d{2,5}[!#*]$/u.test(value);
}

function isRandomAlphanumeric(value: string): boolean {
  const isAlphabet = /^[A-Za-z\d_+-]{20,64}$/.test(value) && /\d.*\d/.test(value);
  const isMixedCase = value.split(/[-_+]/).some((part) => /[A-Z]/.test(part) && /[a-z]/.test(part));
  return isAlphabet && isMixedCase && looksRandom(value);
}
