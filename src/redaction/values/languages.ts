/**
 * Words for a password in languages other than English, as sources of expressions. In some languages they are joined to other
 * words.
 */
const PASSWORDS = `[a-z-]{0,20}passw(?:ort|örter)|[a-z-]{0,20}kennwort|(?:wlan|wi-?fi|netzwerk)-?schlüssel|(?:mots?|phrases?) de passe|mdp|contrase(?:ñ|n|ny|&ntilde;|&#241;)as?|frases? de paso|frase (?:secreta|segreta)|phrase secrète|claves?(?! (?:primaria|foránea|de|api|secreta|privada))|clave de (?:lectura|escritura|acceso|usuario|entrada|root|admin[a-z]{0,10})|senhas?|palavra[- ](?:passe|chave)|
  parol[aăeė]|parool|hasł(?:o|a|em)|haslo|haslem|hesl[oa]|jelszó|jelszava?|парол(?:ь|я|и|ем)|пасс|кодов(?:ая|ой|ую) фраз[аыу]|парола|лозинка|şifre(?:si|niz)?|sifre|parolası|[a-z-]{0,20}wachtwoord|
  [a-z-]{0,20}lösenord(?:et)?|[a-z-]{0,20}passord(?:et)?|adgangskode[nr]?|kodeord(?:et)?|salasana|κωδικός(?: πρόσβασης)?|lozinka|geslo|slaptažodis|
  mật khẩu|mat khau|kata (?:sandi(?:nya)?|laluan)|sandi(?:nya)?|wachtzin|ww|nenosiri|parolei|parolni|kod dostępu|lykilorð|aðgangsorð|pasahitza|contrasenyes|fjalëkalimi?|пароле|паролем|паролю|пин-код|şifreniz|parolanız|tilgangskode|løsenord|tunnussana|tunnusluku|pasvorto|zaporka|лозинку|құпия ?сөз|гасло|συνθηματικό|κωδικού|mật mã`;
/** Words for keys, tokens and other secrets in these languages. */
const OTHERS = `(?:lizenz|aktivierungs|produkt)-?(?:schlüssel|code)|cl(?:é|e) de (?:licence|produit)|clave de licencia|chave de licença|chiave di licenza|klucz licencyjny|лицензионный ключ|ключ лицензии|lisans anahtarı|(?:api|zugriffs|zugangs|geheim)[- ]?schl(?:ü|ue)ssel|(?:zugriffs|zugangs)-?token|geheimnis|cl(?:é|e|ef) (?:d'accès|secrète|privée|d'api|api)|jeton(?: d'accès)?|
  clave (?:api|secreta|privada|de (?:api|acceso))|llave (?:secreta|api)|secreto|segredo|segreto|ch(?:ave|iave) (?:api|secreta|segreta|privada|di accesso|de (?:api|acesso))|
  klucz (?:api|tajny|dostępu)|sekret|токен|секрет|(?:секретный |api[- ])ключ|ключ (?:доступа|api)|(?:api|gizli|güvenlik|erişim) anahtarı|
  api-?(?:sleutel|nyckel|nøkkel)|geheime sleutel|khóa (?:api|bí mật)|mã bí mật|kunci (?:api|rahasia)|(?:salainen |api-?)avain|api-?nøgle|tajný klíč|api klíč|titkos kulcs|api-?kulcs|cheie? (?:api|secretă)|cheia (?:api|secretă)|(?:μυστικό |api )κλειδί|ключ api|секретний ключ|токен доступу|hemlig nyckel|hemlighet|hemmelighed|hemmelig nøkkel|gizli anahtar`;
/** Words in scripts that put no blanks between words. */
const UNSPACED = `パスワード|パスフレーズ|パス(?=[:：＝=「『])|暗証番号|合言葉|密[码碼](?!学|學)|口令|通行[码碼]|通關密語|暗码|暗碼|비밀\\s?번호|패스워드|비번|암호(?!화)|รหัสผ่าน(?:[\u0e00-\u0e7f]{0,30}?(?=คือ|[:： ]|$))?|पासवर्ड|পাসওয়ার্ড|
  كلم[ةه] (?:المرور|السر)|رمز عبور|گذرواژه|סיסמ[הא]|קוד גישה|كلمه عبور|كلمة مرور|كلمة سر|الرقم السري|رمز المرور|پاس ?ورد|पासकोड|कूटशब्द|கடவுச்சொல்|ពាក្យសម្ងាត់|ລະຫັດຜ່ານ|စကားဝှက်|პაროლი|գաղտնաբառ|รหัส(?=ค่ะ|ครับ|นะ|ใหม่|เดิม|ใช้|คือ)|รหัสลับ|รหัสเข้า`;
const UNSPACED_OTHERS = `ライセンスキー|许可证密钥|授权码|激活码|라이선스 ?키|トークン|シークレット(?:キー)?|秘密(?:鍵|キー)|api ?キー|アクセスキー|[密秘](?:钥|鑰)|金[钥鑰]|[存訪访]取?[權权]杖|權杖|权杖|โทเค็น|โทเคน|टोकन|कुंजी|מפתח (?:api|סודי)|אסימון|مفتاح (?:api|سري)|令牌|加签|토큰|시크릿(?: ?키)?|비밀 ?키|api ?키`;

const joined = (sources: string): string => sources.replaceAll(/\s*\n\s*/g, "");
const LETTER = String.raw`A-Za-z\u00c0-\u024f\u0370-\u052f`;
const spaced = (sources: string): string => `(?<![${LETTER}])(?:${joined(sources)})(?![${LETTER}])`;

/** Source of an expression, for use with the flag `i`, that matches a word for a password. */
export const FOREIGN_PASSWORD = `${spaced(PASSWORDS)}|${joined(UNSPACED)}`;
/** Source of an expression, for use with the flag `i`, that matches a word for a password, key, token or secret. */
export const FOREIGN_CREDENTIAL = `${FOREIGN_PASSWORD}|${spaced(OTHERS)}|${joined(UNSPACED_OTHERS)}`;
/** Lower-case literals. Every text that `FOREIGN_CREDENTIAL` matches contains at least one of them. */
export const FOREIGN_WORDS: readonly string[] =
  `passwort,passwört,kennw,mot de passe,mots de passe,phrase de passe,phrases de passe,mdp,contrase,senha,palavra,parol,hasł,haslo,hesl,jelsz,парол,пасс,кодов,лозинк,şifre,sifre,wachtw,wachtz,ww:,ww :,ww=,ww =,lösenord,passord,adgangsk,
  kodeord,salasana,κωδικ,lozinka,geslo,slapta,mật khẩu,mat khau,kata ,sandi,nenosiri,schlüssel,schluessel,zugriffs,zugangs,geheim,clé ,cle ,clef ,jeton,clave,llave,secreto,segret,segred,parool,frase,phrase sec,
  chave,chiave,klucz,sekret,токен,секрет,ключ,anahtar,sleutel,nyckel,nøkkel,khóa,mã bí,kunci,lykilor,aðgang,pasahit,contraseny,fjalëk,пин-код,tilgangsk,tunnus,løsenord,pasvorto,zaporka,құпия,гасло,συνθηματικ,mật mã,kod dost,avain,nøgle,klíč,kulcs,chei,κλειδί,ключ,hemlig,hemmel,gizli,通行,通關,暗码,暗碼,金钥,金鑰,杖,โทเค็น,โทเคน,टोकन,कुंजी,קוד,אסימון,מפתח,مفتاح,الرقم,پاس,पासकोड,कूट,கடவு,ពាក្យ,ລະຫັດ,စကား,პაროლ,գաղտ,パス,パスフレーズ,暗証番号,合言葉,ライセンスキー,许可证,授权码,激活码,라이선스,lizenz,aktivierung,produkt,лиценз,密,口令,비밀,패스워드,비번,암호,รหัส,पासवर्ड,পাসওয়ার্ড,كلم,رمز,گذر,סיסמ,
  トークン,シークレット,秘,アクセスキー,apiキー,api キー,令牌,加签,토큰,시크릿,api키,api 키`
    .split(",")
    .map((word) => word.replace(/^\s*\n\s*/, ""));
