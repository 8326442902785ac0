import type { SecretSpan } from "../../spans.ts";
import type { TextRule } from "../text-rule.ts";

const SIGN = String.raw`[ \t]?(?:[:=：＝]|[-–—]>?|→|\b(?:is|are|was|ist|lautet|est|es|è|jest|är)\b|は|是|为|：)?[ \t]?["'\x60*_(「]{0,3}[ \t]?`;
/** What the number opens, with up to three words between. */
const FOR = String.raw`(?:(?:[ \t](?:for|of|to|on|für|zum|zur|de|del|della|da|do|para|pour|du|dla|do|для|от)(?:[ \t](?!is|was|ist)[^\s:=\d]{1,16}){1,9})|[ \t]?\([^()\n\d]{1,30}\))?`;
/** Numbers that let somebody in are few digits, perhaps in groups, and perhaps with the key that ends them. */
const NUMBER = String.raw`((?<![\d.,-])[#*]?(?!20[12]\d(?:0[1-9]|1[0-2])[0-3]\d(?!\d))\d{4,10}(?:#|\*)?|(?<![\d.,-])\d{2}(?:-\d{2}){2,3}|(?<![\d.,-])\d{3,4}(?: \d{3,4}){1,2}#?)(?!\w|[.,:-]\d|[ ]?(?:%|ms\b|s\b|times|errors?|attempts?|failures?|mails?|users?|requests?|per|of|in (?:the )?last|kb|mb|gb|\/))`;
/** Written in capitals, or with a sign after it, this is a number that proves who somebody is. */
const PIN_WORDS = String.raw`(?<![A-Za-z_-])(?:PIN|PUK|PUK2|PIN2|P\.I\.N\.|ПИН)${FOR}${SIGN}`;
const PIN = new RegExp(PIN_WORDS + NUMBER, "g");
const SMALL_PIN_WORDS = String.raw`(?<![A-Za-z_-])(?:pin|puk|pin[-_ ]?code|pin-kod|пин(?:-код)?|暗証番号|密碼鎖|门禁码|门锁密码|핀 ?번호)${FOR}["']?[ \t]?(?:=>|[:=：＝]|is|ist|es|est|は|是)[ \t]?["'\x60*_(]{0,3}`;
const SMALL_PIN = new RegExp(SMALL_PIN_WORDS + NUMBER, "gi");
const PLACE = String.raw`(?:door|gate|alarm|keypad|entry|safe|lock|lock ?box|padlock|vault|building|garage|cage|rack|cabinet|disarm|arming|lift|elevator|server ?room|tür|tor|tresor|schließfach|alarmanlage)`;
/** Codes of doors and safes, and of meetings by phone. */
const ENTRY_WORDS = String.raw`(?<![A-Za-z])(?:${PLACE}(?:[ -]?(?:access|entry|lock))?[ -]?(?:codes?|combination|pin|kombination)|(?:zugangs|tür|alarm|zahlen)code|combination (?:of|to) the \w{2,12}|code (?:de la porte|d'accès|d'entrée|de l'alarme|du coffre)|c[oó]digo (?:de la puerta|de la alarma|da porta|do alarme|de acceso|de acesso)|codice (?:porta|allarme)|(?:disinserire|disattivare|inserire) con (?:il )?codice|kód (?:na klávesnici[^\n\d:]{0,24}|dveří|od dveří|alarmu|k trezoru)|kod (?:do drzwi|do bramy|alarmu|kapı)|kapı kodu|код (?:двери|домофона|доступа|сейфа)|门禁(?:密?码|代码)|ドアコード|도어락|(?:conference|meeting|bridge|host|participant|moderator|dial-in|zoom|webex|teams)[ ](?:bridge[ ])?(?:pin|passcode|code|access code)|(?:zoom|webex|teams|meeting)[^\n\0:]{0,50}[ ,(](?:pw|pwd|password|passwort|kenncode)|passcode)${FOR}${SIGN}`;
/** What a keypad or a lock takes. */
const UNLOCKED_BY = String.raw`(?<![A-Za-z])(?:unlock|disarm)(?:s|ed)?[ ](?:it |them )?(?:with|by)[ ](?:the )?(?:code |pin )?`;
const UNLOCKED = new RegExp(UNLOCKED_BY + NUMBER, "gi");
const ENTRY = new RegExp(ENTRY_WORDS + NUMBER, "gi");
/** A number that the phone dials by itself after the one of the bridge. */
const DIALLED = /(?<=\d{5},{1,4})(\d{6,12})(?=#)/g;

/** What is typed on a keypad ends with its own sign. */
const KEYED = /(?<![\w#&.,:-])(\d{4,8}(?:#(?![\w#])|(?= (?:then|and|followed by) #)))/g;

const LICENCE = String.raw`(?:licen[cs]e|licen[cs]ing|activation|lizenz|aktivierungs|produkt|licencia|licença|licenza|licentie|licens|licencj\w{1,3}|lisans|активаци\w{1,2}|лицензи\w{1,3}|лицензионн\w{2,3}|许可证?|授权|激活|產品|产品|ライセンス|プロダクト|アクティベーション|라이선스|제품)`;
const LICENCE_KEY = String.raw`(?:[ _-]?(?:keys?|codes?|no|numbers?|schlüssel|code|string|anahtarı|キー|コード|密?钥|码|碼|키|ключ))`;
/** These have numbers too that are none. */
const PRODUCT = String.raw`(?:product|serial|registration|subscription|unlock|install(?:ation)?|windows|office|volume|cd)[ _-]?keys?`;
const GROUPS = String.raw`((?<![\w-])[A-Z\d]{4,8}(?:-[A-Z\d]{4,8}){2,9}(?![\w-]))`;
const LICENSED_WORDS = String.raw`(?:(?<![A-Za-z])${LICENCE}${LICENCE_KEY}?|${PRODUCT}|(?:clé|clave|chave|chiave|klucz|ключ|numéro|número|nr)[ ](?:de[ ]|d'|di[ ]|do[ ]|продукта|активации)?(?:la[ ])?(?:${LICENCE}|produit|activation|producto|produto|prodotto|produktu)?|slmgr[^\n]{0,40}?\/ipk|activates?[^\n]{0,30}?)[^\n\0«]{0,60}?[\s:=："'\x60*>]`;
const LICENSED = new RegExp(LICENSED_WORDS + GROUPS, "gi");

const HAS_PIN = /(?<![A-Za-z])(?:pin|puk|pin[ -]?code|alarm|keypad|door|gate)(?![A-Za-z])/i;

/** Numbers that open a door, a phone or a meeting, and keys that unlock a product. */
export const pinRule: TextRule = {
  words:
    "keypad,alarm,dial,zoom,webex,teams,meeting,call,phone,tel,pin,puk,p.i.n,пин,暗証,密碼,门禁,门锁,핀,code,codice,combination,kombination,passcode,kod,kód,код,código,codigo,ドア,도어,licen,product,activat,serial,registration,subscription,unlock,install,windows,office,volume,lizenz,aktivier,produkt,lisans,активац,лиценз,许可,授权,激活,產品,产品,ライセンス,プロダクト,アクティ,라이선스,제품,clé,clave,chave,chiave,klucz,ключ,slmgr".split(
      ",",
    ),
  hint: new RegExp(
    String.raw`(?:${[PIN_WORDS, SMALL_PIN_WORDS, ENTRY_WORDS, UNLOCKED_BY].join("|")})[#*]?\d{2}|\d{4}#|\d{4} (?:then|and|followed by) #|\d{5},{1,4}\d{6}|(?:${LICENSED_WORDS})[A-Z\d]{4}`,
    "i",
  ),
  find: (text) => [
    // The pins of a chip are no secret.
    ...(/gpio|\bled\b|breakout/i.test(text)
      ? []
      : [PIN, SMALL_PIN, ENTRY, DIALLED, ...(HAS_PIN.test(text) ? [KEYED, UNLOCKED] : [])]
    ).flatMap((expression) => numbers(text, expression, "pin")),
    ...numbers(text, LICENSED, "licence-key").filter(({ start, end }) => isLicence(text.slice(start, end))),
  ],
};

function numbers(text: string, expression: RegExp, rule: string): SecretSpan[] {
  return [...text.matchAll(expression)].map(({ index, 0: whole, 1: value = "" }) => {
    const start = index + whole.length - value.length;
    return { start, end: start + value.length, rule };
  });
}

/** Four groups or more: three are in part numbers, too. */
const ONLY_GROUPS = /^[A-Z\d]{4,8}(?:-[A-Z\d]{4,8}){3,9}$/;

/** Whether all of a text is such a key: in a table below "key". */
export function isLicenceKey(text: string): boolean {
  return ONLY_GROUPS.test(text) && isLicence(text);
}

/** Groups of capitals and digits, or of digits alone. No date, and no word with a number. */
function isLicence(value: string): boolean {
  const groups = value.split("-");
  if (/^(?:19|20)\d{2}-\d{2}(?:-|\d{2}-\d{4}$)/.test(value) || !/\d/.test(value) || /[a-z]/.test(value)) return false;
  return (
    new Set(groups.map((group) => group.length)).size <= 2 &&
    groups.filter((group) => /^[A-Z]+$/.test(group)).length <= groups.length / 2
  );
}
