import { createWordTest } from "../spans.ts";
import { wordSet } from "../../core/collections.ts";

const PASSWORDS = `
  [a-z-]{0,20}passw(?:ort|örter)|[a-z-]{0,20}kennwort|(?:wlan|wi-?fi|netzwerk)-?schlüssel|(?:mots?|
  phrases?) de passe|mdp|contrase(?:ñ|n|ny|&ntilde;|&#241;)as?|frases? de paso|frase (?:secreta|segreta)|
  phrase secrète|claves?(?! (?:primaria|foránea|de|api|secreta|privada))|clave de (?:lectura|escritura|acceso|
  usuario|entrada|root|admin[a-z]{0,10})|senhas?|palavra[- ](?:passe|chave)|parol[aăeė]|parool|hasł(?:o|a|em)|
  haslo|haslem|hesl[oa]|jelszó|jelszava?|парол(?:ь|я|и|ем)|пасс|кодов(?:ая|ой|ую) фраз[аыу]|парола|лозинка|
  şifre(?:si|niz)?|sifre|parolası|[a-z-]{0,20}wachtwoord|[a-z-]{0,20}lösenord(?:et)?|[a-z-]{0,20}passord(?:et)?|
  adgangskode[nr]?|kodeord(?:et)?|salasana|κωδικός(?: πρόσβασης)?|lozinka|geslo|slaptažodis|mật khẩu|mat khau|
  kata (?:sandi(?:nya)?|laluan)|sandi(?:nya)?|wachtzin|ww|nenosiri|parolei|parolni|kod dostępu|lykilorð|
  aðgangsorð|pasahitza|contrasenyes|fjalëkalimi?|пароле|паролем|паролю|пин-код|şifreniz|parolanız|tilgangskode|
  løsenord|tunnussana|tunnusluku|pasvorto|zaporka|лозинку|құпия ?сөз|гасло|συνθηματικό|κωδικού|mật mã`;
const OTHERS = `
  (?:lizenz|aktivierungs|produkt)-?(?:schlüssel|code)|cl(?:é|e) de (?:licence|produit)|clave de licencia|
  chave de licença|chiave di licenza|klucz licencyjny|лицензионный ключ|ключ лицензии|lisans anahtarı|(?:api|
  zugriffs|zugangs|geheim)[- ]?schl(?:ü|ue)ssel|(?:zugriffs|zugangs)-?token|geheimnis|cl(?:é|e|ef) (?:d'accès|
  secrète|privée|d'api|api)|jeton(?: d'accès)?|clave (?:api|secreta|privada|de (?:api|acceso))|llave (?:secreta|
  api)|secreto|segredo|segreto|ch(?:ave|iave) (?:api|secreta|segreta|privada|di accesso|de (?:api|acesso))|
  klucz (?:api|tajny|dostępu)|sekret|токен|секрет|(?:секретный |api[- ])ключ|ключ (?:доступа|api)|(?:api|gizli|
  güvenlik|erişim) anahtarı|api-?(?:sleutel|nyckel|nøkkel)|geheime sleutel|khóa (?:api|bí mật)|mã bí mật|
  kunci (?:api|rahasia)|(?:salainen |api-?)avain|api-?nøgle|tajný klíč|api klíč|titkos kulcs|api-?kulcs|
  cheie? (?:api|secretă)|cheia (?:api|secretă)|(?:μυστικό |api )κλειδί|ключ api|секретний ключ|токен доступу|
  hemlig nyckel|hemlighet|hemmelighed|hemmelig nøkkel|gizli anahtar`;
/** In these scripts, other letters can touch such a word. */
const UNSPACED = `
  パスワード|パスフレーズ|パス(?=[:：＝=「『])|暗証番号|合言葉|密[码碼](?!学|學)|口令|通行[码碼]|通關密語|暗码|暗碼|비밀\\s?번호|패스워드|비번|암호(?!화)|
  รหัสผ่าน(?:[\u0e00-\u0e7f]{0,30}?(?=คือ|[:： ]|$))?|पासवर्ड|পাসওয়ার্ড|كلم[ةه] (?:المرور|السر)|رمز عبور|گذرواژه|
  סיסמ[הא]|קוד גישה|كلمه عبور|كلمة مرور|كلمة سر|الرقم السري|رمز المرور|پاس ?ورد|पासकोड|कूटशब्द|கடவுச்சொல்|
  ពាក្យសម្ងាត់|ລະຫັດຜ່ານ|စကားဝှက်|პაროლი|գաղտնաբառ|รหัส(?=ค่ะ|ครับ|นะ|ใหม่|เดิม|ใช้|คือ)|รหัสลับ|รหัสเข้า`;
const UNSPACED_OTHERS = `
  ライセンスキー|许可证密钥|授权码|激活码|라이선스 ?키|トークン|シークレット(?:キー)?|秘密(?:鍵|キー)|api ?キー|アクセスキー|[密秘](?:钥|鑰)|金[钥鑰]|[存訪访]取?[權权]杖|權杖|权杖|
  โทเค็น|โทเคน|टोकन|कुंजी|מפתח (?:api|סודי)|אסימון|مفتاح (?:api|سري)|令牌|加签|토큰|시크릿(?: ?키)?|비밀 ?키|api ?키`;

const joined = (sources: string): string => sources.replaceAll(/\s*\n\s*/g, "");
const LETTER = String.raw`A-Za-z\u00c0-\u024f\u0370-\u052f`;
const spaced = (sources: string): string => `(?<![${LETTER}])(?:${joined(sources)})(?![${LETTER}])`;

/** For use with the flag `i`. */
export const FOREIGN_PASSWORD = `${spaced(PASSWORDS)}|${joined(UNSPACED)}`;
/** For use with the flag `i`. */
export const FOREIGN_CREDENTIAL = `${FOREIGN_PASSWORD}|${spaced(OTHERS)}|${joined(UNSPACED_OTHERS)}`;
export const FOREIGN_WORDS: readonly string[] =
  `passwort,passwört,kennw,mot de passe,mots de passe,phrase de passe,phrases de passe,mdp,contrase,senha,palavra,
  parol,hasł,haslo,hesl,jelsz,парол,пасс,кодов,лозинк,şifre,sifre,wachtw,wachtz,ww:,ww :,ww=,ww =,lösenord,
  passord,adgangsk,kodeord,salasana,κωδικ,lozinka,geslo,slapta,mật khẩu,mat khau,kata ,sandi,nenosiri,schlüssel,
  schluessel,zugriffs,zugangs,geheim,clé ,cle ,clef ,jeton,clave,llave,secreto,segret,segred,parool,frase,
  phrase sec,chave,chiave,klucz,sekret,токен,секрет,ключ,anahtar,sleutel,nyckel,nøkkel,khóa,mã bí,kunci,lykilor,
  aðgang,pasahit,contraseny,fjalëk,пин-код,tilgangsk,tunnus,løsenord,pasvorto,zaporka,құпия,гасло,συνθηματικ,
  mật mã,kod dost,avain,nøgle,klíč,kulcs,chei,κλειδί,ключ,hemlig,hemmel,gizli,通行,通關,暗码,暗碼,金钥,金鑰,杖,โทเค็น,โทเคน,
  टोकन,कुंजी,קוד,אסימון,מפתח,مفتاح,الرقم,پاس,पासकोड,कूट,கடவு,ពាក្យ,ລະຫັດ,စကား,პაროლ,գաղտ,パス,パスフレーズ,暗証番号,合言葉,
  ライセンスキー,许可证,授权码,激活码,라이선스,lizenz,aktivierung,produkt,лиценз,密,口令,비밀,패스워드,비번,암호,รหัส,पासवर्ड,পাসওয়ার্ড,كلم,رمز,
  گذر,סיסמ,トークン,シークレット,秘,アクセスキー,apiキー,api キー,令牌,加签,토큰,시크릿,api키,api 키`
    .split(",")
    .map((word) => word.replace(/^\s*\n\s*/, ""));

const HARMLESS =
  wordSet(`true false null none undefined nil yes no on off enabled disabled required optional default empty unknown missing
  basic bearer digest oauth oauth2 oidc saml iam ntlm mtls ldap plain password token apikey api_key header query cookie
  sha1 sha256 sha512 md5 argon2 argon2id bcrypt scrypt pbkdf2 hs256 rs256 es256 ed25519 rsa hmac aes256 string text secret
  redacted changeme todo tbd see string uint64 int64 uint32 int32 float64 datetime64 scram-sha-256 scram-sha-512
  sha256_password double_sha1_password plaintext_password bcrypt_password caching_sha2_password mysql_native_password
  no_password ssl_certificate path file filename value bytes int uint duration stringarray strings bool boolean number
  keyfile stdin prompt`);
/** Matches stand-ins such as `{{token}}`, `%s`, `:name`, `<your-token>` and `***`. */
const STANDS_FOR =
  /^(?:\{\{?[^{}]*\}?\}|\$\{[^{}]*\}|\$\(?[A-Za-z_]\w*\)?|\$\d+|%\(?\w*\)?s|<[^<>]*>|\[[^[\]]*\]|\([^()]*\)|#[\da-fA-F]{3,8}|[\w.-]{0,24}(?:[*•●…]{5,}|[xX]{6,})[\w-]{0,8}|[\w.-]{0,4}[*•●…]{3,4}[\w-]{0,4}|(?:&(?:bull|middot|ast|#8226|#42|#x2022);){3,}|\*+|[xX]{3,}|\?+|:[a-z_]\w*|@\w+(?:\.\w+)*@|\.{2,}|…|[-_=%]+|@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|reboot))$/;

/** Matches references to secrets, and names of programs that store secrets. */
const KEPT =
  /^(?:!?(?:vault|op|ssm|kv|kv2|secrets?|secretsmanager|aws-?sm|gcp-?sm|gsm|asm|akv|azkv|key-?vault|env|file|sops|ref|refs|doppler|infisical|bitwarden|keepass|awssecret|secretref|from)(?::\/{0,2}|\/)[\w.][\w./#:@-]*|arn:aws[\w-]*:(?:secretsmanager|ssm|kms|iam|sts)[^\s]*|1password|(?:keepass|bitwarden|lastpass|dashlane|hashicorp|vaultwarden|passbolt)\w*|(?:process|import\.meta)\.env\.\w+|os\.(?:environ|getenv)\S*|\$?env[.:]\w+|(?:secrets|vars?|local|data|values|inputs|params|config|settings|github|env)\.[A-Za-z_][\w.-]*|@?Microsoft\.KeyVault\S*|!\w+|file:\/\/\/[\w./-]+)$/i;
/** Matches paths of files, and fingerprints such as `sha256:…`. */
const PATH =
  /^(?:(?:sftp|scp|rsync|ssh):)?[\w.-]+@[\w.-]+:[/~][\w./~-]*$|^(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?:[A-Za-z_.][\w.@-]*[\\/])+[\w.@-]*$|^\.{1,2}[\\/][\w.@-]+$|^[\w.-]+(?:\/[\w.-]+)*\/\*{1,2}$|^(?:sha|SHA)(?:1|256|384|512)[:-][\w+/=-]+(?: \([A-Z\d-]+\))?$|^(?:md|MD)5:[\da-f:]+$/;
const DUMMY =
  /^<?\[?(?:xox[abp]-)?(?:your|my|insert|enter|put|replace|paste|put|set|add|use)(?:[A-Za-z]+(?:[-_ ][A-Za-z]+){0,5}|(?:[-_ ][A-Za-z]+){1,6})\]?>?$|^(?:change|replace|fill)[-_ ]?(?:it|me|this|in)\d{0,3}$|^(?:redacted|masked|hidden|removed|omitted|filtered|obfuscated|scrubbed|protected|sensitive|confidential|classified)$|EXAMPLE(?:KEY)?$|^(?:[a-z]+[-_.])*(?:example|placeholder|dummy|sample)(?:[-_.][a-z]+)*$|^x+(?:[-_.]x+)*$|^[*•●·xX.#_-]+$|^[[({<_*-]*(?:redacted|masked|hidden|filtered|secret|password|removed|set|unset|omitted)[\])}>_*%-]*$|^(?:dword|qword|hex(?:\(\w\))?):[\da-f,]+$/i;
/** With a first word of `FIRST_OF_NOTE`, such words are a note: `stored-in-vault`. */
const NOTE = /^(?:[a-z]+|[A-Z]+|1[Pp]assword)(?:[-_](?:[a-z]{1,16}|[A-Z]{1,16}|1[Pp]assword)){1,8}$/;
const FIRST_OF_NOTE =
  /^(?:from|see|stored|kept|managed|injected|provided|supplied|generated|mounted|fetched|retrieved|loaded|replaced?|change(?:me|it)?|fill|insert|todo|tbd|redacted|removed|hidden|placeholder|dummy|fake|mock|your|ask|get|lives)[-_]/i;
const VARIABLE =
  /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY|KEYS|DSN|URL|FILE|NAME|ID|HERE)$/;
/** Matches a payment service's ids of accounts and customers. */
const ACCOUNT_ID = /^(?:acct_[A-Za-z\d]{16}|cus_[A-Za-z\d]{14})$/;
/** Matches `LA_TUA_CHIAVE`. */
const STAND_IN =
  /^(?=.*(?:^|_)(?:YOUR|MY|TUA|TUO|TU|SU|VOTRE|TON|IHR|DEIN|UW|JE|SEU|SUA|KEY|CLE|CLAVE|CHIAVE|CHAVE|SCHLUESSEL|KLUCZ|SLEUTEL|TOKEN|SECRET|PASSWORD|PASSWORT|PASS|SENHA|HERE|HIER|AQUI|ICI|QUI|VALUE|WERT|VALOR|CHANGE|REPLACE|INSERT)(?:_|$))[A-Z]{1,12}(?:_[A-Z]{1,12}){1,5}$/;
const CLASS = /^(?:[a-z][a-z\d_]*\.){2,}[A-Z]\w*$/;
export const hasForeignWord = createWordTest(FOREIGN_WORDS);
/** As a value, a foreign word alone is a translated label. */
export const FOREIGN_NAME = new RegExp(`^(?:${FOREIGN_CREDENTIAL})$`, "i");

const FETCHED =
  /^(?:[$`<]?\(?[ ]?|sudo[ ]|\$[ ])?(?:vault|bao|op|aws|kubectl|oc|k|pass|gopass|bw|rbw|az|gcloud|doppler|chamber|sops|security|keyring|secret-tool|lpass|infisical|akeyless|conjur|ansible-vault|terraform|tofu|pulumi|heroku|fly|flyctl|docker|cat|jq|yq|age|gpg|credstash|berglas|envchain|printenv|openssl|pwgen|dashlane|dcli|keepassxc-cli|1password|consul|etcdctl|helm|teller|summon|nomad|get-azkeyvaultsecret|get-secret|read-host|echo[ ]\$\w+|grep|head|uuidgen|apg)[ ](?:[a-z-]|\/|\$|\.|\w+[ ]-)/i;

export function isNonSecret(value: string): boolean {
  const trimmedValue = value.trim();
  if (trimmedValue === "" || trimmedValue.includes("\0") || STANDS_FOR.test(trimmedValue)) return true;
  if (trimmedValue.length > 200) return false;
  // The value ends like a Japanese sentence.
  if (/(?:ください|下さい|です|ます|ません)。?$/.test(trimmedValue)) return true;
  return (
    HARMLESS.has(trimmedValue.toLowerCase()) ||
    [VARIABLE, KEPT, PATH, DUMMY, ACCOUNT_ID, STAND_IN, CLASS].some((form) => form.test(trimmedValue)) ||
    (trimmedValue.includes(" ") && FETCHED.test(trimmedValue)) ||
    // Matches the stand-in `ВАШ_ПАРОЛЬ`.
    /^(?=.*[^\x20-\x7e])\p{Lu}+(?:_\p{Lu}+)*$/u.test(trimmedValue) ||
    isNote(trimmedValue) ||
    (hasForeignWord(trimmedValue) && FOREIGN_NAME.test(trimmedValue))
  );
}

export function isPlaceholderValue(value: string): boolean {
  return value.length <= 200 && (STANDS_FOR.test(value) || DUMMY.test(value) || VARIABLE.test(value) || isNote(value));
}

function isNote(value: string): boolean {
  return NOTE.test(value) && FIRST_OF_NOTE.test(value);
}
