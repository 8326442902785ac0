import { wordTest } from "../word-search.ts";
import { FOREIGN_CREDENTIAL, FOREIGN_WORDS } from "./languages.ts";

/** Values of settings, which are not secrets under any name. */
const HARMLESS = new Set(
  `true false null none undefined nil yes no on off enabled disabled required optional default empty unknown missing
  basic bearer digest oauth oauth2 oidc saml iam ntlm mtls ldap plain password token apikey api_key header query cookie
  sha1 sha256 sha512 md5 argon2 argon2id bcrypt scrypt pbkdf2 hs256 rs256 es256 ed25519 rsa hmac aes256 string text secret
  redacted changeme todo tbd see string uint64 int64 uint32 int32 float64 datetime64 scram-sha-256 scram-sha-512
  sha256_password double_sha1_password plaintext_password bcrypt_password caching_sha2_password mysql_native_password
  no_password ssl_certificate path file filename value bytes int uint duration stringarray strings bool boolean number
  keyfile stdin prompt`.split(/\s+/),
);
/** Stand-ins for a secret: `{{token}}`, `${TOKEN}`, `$1`, `%s`, `:name`, `@db.password@`, `<your-token>`, `***`. */
const STANDS_FOR =
  /^(?:\{\{?[^{}]*\}?\}|\$\{[^{}]*\}|\$\(?[A-Za-z_]\w*\)?|\$\d+|%\(?\w*\)?s|<[^<>]*>|\[[^[\]]*\]|\([^()]*\)|#[\da-fA-F]{3,8}|[\w.-]{0,24}(?:[*•●…]{5,}|[xX]{6,})[\w-]{0,8}|[\w.-]{0,4}[*•●…]{3,4}[\w-]{0,4}|(?:&(?:bull|middot|ast|#8226|#42|#x2022);){3,}|\*+|[xX]{3,}|\?+|:[a-z_]\w*|@\w+(?:\.\w+)*@|\.{2,}|…|[-_=%]+|@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|reboot))$/;

/** References to a secret in a store, and the programs that store secrets. */
const KEPT =
  /^(?:!?(?:vault|op|ssm|kv|kv2|secrets?|secretsmanager|aws-?sm|gcp-?sm|gsm|asm|akv|azkv|key-?vault|env|file|sops|ref|refs|doppler|infisical|bitwarden|keepass|awssecret|secretref|from)(?::\/{0,2}|\/)[\w.][\w./#:@-]*|arn:aws[\w-]*:(?:secretsmanager|ssm|kms|iam|sts)[^\s]*|1password|(?:keepass|bitwarden|lastpass|dashlane|hashicorp|vaultwarden|passbolt)\w*|(?:process|import\.meta)\.env\.\w+|os\.(?:environ|getenv)\S*|\$?env[.:]\w+|(?:secrets|vars?|local|data|values|inputs|params|config|settings|github|env)\.[A-Za-z_][\w.-]*|@?Microsoft\.KeyVault\S*|!\w+|file:\/\/\/[\w./-]+)$/i;
/** Paths of files that hold a secret, and fingerprints. */
const PATH =
  /^(?:(?:sftp|scp|rsync|ssh):)?[\w.-]+@[\w.-]+:[/~][\w./~-]*$|^(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?:[A-Za-z_.][\w.@-]*[\\/])+[\w.@-]*$|^\.{1,2}[\\/][\w.@-]+$|^[\w.-]+(?:\/[\w.-]+)*\/\*{1,2}$|^(?:sha|SHA)(?:1|256|384|512)[:-][\w+/=-]+(?: \([A-Z\d-]+\))?$|^(?:md|MD)5:[\da-f:]+$/;
/** Stand-ins for a value in documentation. */
const DUMMY =
  /^<?\[?(?:xox[abp]-)?(?:your|my|insert|enter|put|replace|paste|put|set|add|use)(?:[A-Za-z]+(?:[-_ ][A-Za-z]+){0,5}|(?:[-_ ][A-Za-z]+){1,6})\]?>?$|^(?:change|replace|fill)[-_ ]?(?:it|me|this|in)\d{0,3}$|^(?:redacted|masked|hidden|removed|omitted|filtered|obfuscated|scrubbed|protected|sensitive|confidential|classified)$|EXAMPLE(?:KEY)?$|^(?:[a-z]+[-_.])*(?:example|placeholder|dummy|sample)(?:[-_.][a-z]+)*$|^x+(?:[-_.]x+)*$|^[*•●·xX.#_-]+$|^[[({<_*-]*(?:redacted|masked|hidden|filtered|secret|password|removed|set|unset|omitted)[\])}>_*%-]*$|^(?:dword|qword|hex(?:\(\w\))?):[\da-f,]+$/i;
/** Joined words that tell where the value comes from or goes to: `changeme-in-vault`, `from_vault_agent`, `ask-the-lead`. */
const NOTE = /^(?:[a-z]+|[A-Z]+|1[Pp]assword)(?:[-_](?:[a-z]{1,16}|[A-Z]{1,16}|1[Pp]assword)){1,8}$/;
const FIRST_OF_NOTE =
  /^(?:from|see|stored|kept|managed|injected|provided|supplied|generated|mounted|fetched|retrieved|loaded|replaced?|change(?:me|it)?|fill|insert|todo|tbd|redacted|removed|hidden|placeholder|dummy|fake|mock|your|ask|get|lives)[-_]/i;
const IN_NOTE =
  /[-_](?:vault|1password|bitwarden|keepass|keychain|changeme|placeholder|redacted|example|dummy|todo|secretsmanager)(?:[-_]|$)/i;
/** The name of a variable. */
const VARIABLE =
  /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY|KEYS|DSN|URL|FILE|NAME|ID|HERE)$/;
/** The account and the customer of a payment service. */
const ACCOUNT_ID = /^(?:acct_[A-Za-z\d]{16}|cus_[A-Za-z\d]{14})$/;
/** Capitalised words that stand for a value to fill in: `LA_TUA_CHIAVE`. */
const STAND_IN =
  /^(?=.*(?:^|_)(?:YOUR|MY|TUA|TUO|TU|SU|VOTRE|TON|IHR|DEIN|UW|JE|SEU|SUA|KEY|CLE|CLAVE|CHIAVE|CHAVE|SCHLUESSEL|KLUCZ|SLEUTEL|TOKEN|SECRET|PASSWORD|PASSWORT|PASS|SENHA|HERE|HIER|AQUI|ICI|QUI|VALUE|WERT|VALOR|CHANGE|REPLACE|INSERT)(?:_|$))[A-Z]{1,12}(?:_[A-Z]{1,12}){1,5}$/;
/** The name of a Java class. */
const CLASS = /^(?:[a-z][a-z\d_]*\.){2,}[A-Z]\w*$/;
/** The name of a header that carries a credential. */
const HEADER = /^(?:X(?:-[A-Z][A-Za-z]{1,20}){1,5}|(?:Proxy-)?Authorization|(?:Set-)?Cookie)$/;
/** Translations of a field's name: a foreign word for a credential. */
const hasForeignWord = wordTest(FOREIGN_WORDS);
const FOREIGN = new RegExp(`^(?:${FOREIGN_CREDENTIAL})$`, "i");

/** A command that fetches a secret or generates one. */
const FETCHED =
  /^(?:[$`<]?\(?[ ]?|sudo[ ]|\$[ ])?(?:vault|bao|op|aws|kubectl|oc|k|pass|gopass|bw|rbw|az|gcloud|doppler|chamber|sops|security|keyring|secret-tool|lpass|infisical|akeyless|conjur|ansible-vault|terraform|tofu|pulumi|heroku|fly|flyctl|docker|cat|jq|yq|age|gpg|credstash|berglas|envchain|printenv|openssl|pwgen|dashlane|dcli|keepassxc-cli|1password|consul|etcdctl|helm|teller|summon|nomad|get-azkeyvaultsecret|get-secret|read-host|echo[ ]\$\w+|grep|head|uuidgen|apg)[ ](?:[a-z-]|\/|\$|\.|\w+[ ]-)/i;

/** Tells whether a value is never a secret: words of settings, stand-ins, and references to a secret. */
export function isNonSecret(value: string): boolean {
  const trimmedValue = value.trim();
  if (trimmedValue === "" || trimmedValue.includes("\0") || STANDS_FOR.test(trimmedValue)) return true;
  if (trimmedValue.length > 200) return false;
  // The end of a Japanese sentence.
  if (/(?:ください|下さい|です|ます|ません)。?$/.test(trimmedValue)) return true;
  return (
    HARMLESS.has(trimmedValue.toLowerCase()) ||
    [VARIABLE, KEPT, PATH, DUMMY, ACCOUNT_ID, STAND_IN, HEADER, CLASS].some((form) => form.test(trimmedValue)) ||
    (trimmedValue.includes(" ") && FETCHED.test(trimmedValue)) ||
    // `ВАШ_ПАРОЛЬ`
    /^(?=.*[^\x20-\x7e])\p{Lu}+(?:_\p{Lu}+)*$/u.test(trimmedValue) ||
    isNote(trimmedValue) ||
    (hasForeignWord(trimmedValue) && FOREIGN.test(trimmedValue))
  );
}

/** Tells whether a value is a stand-in for a secret that was removed or is not filled in yet. */
export function isPlaceholderValue(value: string): boolean {
  return value.length <= 200 && (STANDS_FOR.test(value) || DUMMY.test(value) || VARIABLE.test(value) || isNote(value));
}

function isNote(value: string): boolean {
  return NOTE.test(value) && (FIRST_OF_NOTE.test(value) || IN_NOTE.test(value));
}
