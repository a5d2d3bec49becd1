/**
 * Cue words by topic. Personal data or a secret may be near them. `^` and `$` mark the start and the end of a word; a
 * space also matches - and _.
 */
export const cueWords = {
  /** A phone number follows. */
  phone:
    "phone|^tel$|^tél$|^tlf$|^telef|^téléf|telefon|mobile|^mobil|handy|^cell$|celular|cellulare|whatsapp|^sms$|^fax$|hotline|rufnummer|^portable|móvil|^movil|позвони|^тел|^моб|电话|電話|手机|手機|携帯|전화|휴대폰|연락처|هاتف|جوال|טלפון|फ़ोन|फोन|मोबाइल|โทร",
  /** A phone number follows directly, with only connecting words before it. */
  call: "^call|^ring$|^text|^dial|^reach|^anrufen|^erreichbar|^appel|^llama|^chiama",
  /** The number of a thing follows, such as an order number or an invoice number. */
  thing:
    "order|ticket|invoice|receipt|parcel|shipment|tracking|^ref$|reference|serial|^part$|^sku|^case$|^issue|build|^isbn|^issn|^ean|^upc|gtin|^imei|model|version|batch|^lot$|article|^item|^job$|^run$|^row$|^line$|account|customer|client|contract|policy|booking|reservation|bestell|rechnung|artikel|auftrag|kunden|vertrag|commande|factura|pedido|fattura|ordine|^id$|^pr$|订单|編號|编号|注文番号|заказ",
  /** A person's identity number follows. The number needs no valid check digit. */
  document:
    "national id|identity card|^id card|personal id|citizen id|citizenship number|ausweis|carte d'identité|carte d’identité|^dni$|^nie$|cédula|documento de identidad|carta d'identità|identiteitskaart|personnummer|fødselsnummer|^cpr$|henkilötunnus|dowód|dowod|^pesel$|rodné číslo|^cnp$|^egn$|паспорт|身份证|身分證|マイナンバー|個人番号|주민등록|aadhaar|आधार|kimlik|passport|reisepass|passeport|pasaporte|passaporto|paszport|护照|護照|旅券|여권|driver's license|driver's licence|driving licence|driving license|führerschein|الهوية|תעודת זהות",
  ssn: "^ssn$|social security",
  sin: "^sin$|social insurance",
  tax: "steuer id|steuerid|steuerliche|^idnr|steueridentifikation|^tin$|tax id",
  tfn: "^tfn$|tax file",
  bsn: "^bsn$|burgerservice|sofi",
  nhs: "^nhs$",
  southAfrica: "^sa id$|^rsa id$|south african id",
  english: "street|^st$|avenue|^ave$|road$|^rd$|boulevard$|^blvd|^parkway|^pkwy|highway$|^terrace|^crescent|^mews",
  lane: "^lane$|^ln$|^drive$|^dr$|^court$|^ct$|^place$|^pl$|^square$|^sq$|^way$|^close$|gardens$|^grove|^quay|^alley|^circle|^trail$|^hill$|^row$",
  box: "box$|^postfach|boite postale|boîte postale|^apartado|^casilla",
  german:
    "straße|strasse|str.|gasse$|allee$|chaussee|straat$|laan$|gracht|kade$|singel$|gatan$|vägen$|gata$|veien$|vej$|gade$|katu$",
  square: "platz$|weg$|damm$|ufer$|plein$|ring$|hof$",
  french: "^rue$|^avenue$|^av.|^boulevard$|^bd$|^place$|^chemin$|^impasse$|^allée|^quai$|^route$|^cours$",
  spanish:
    "^calle$|^c/|^avenida|^avda|^plaza|^paseo|^carrera|^rua$|^travessa|^praça|^viale|^carrer|gran vía|^largo|^rambla|^piazza|^vicolo|^corso",
  via: "^via$",
  polish: "^ul.|^al.|^pl.|^os.",
  russian: "^ул|проспект|^просп|пр-т|^пер.|переул|бульвар",
  turkish: "sokak|sokağı|^sok.|^sk.|caddesi|^cad.|bulvarı",
  chinese: "路|街|大道|巷|弄|胡同",
  japanese: "〒|市|区|町|村|丁目|番地",
  korean: "로|길",
  arabic: "شارع",
  key: "private key|privatekey|signing key|signer key|wallet key|wallet's key|wallet’s key|spend key|master key|deployer key|validator key|metamask key|eth key|ethereum key|bitcoin key|btc key|aes key|hmac key|wallet seed|seed in hex|seed hex|stellar secret|privater schlüssel|私钥",
  phrase: "seed phrase|recovery phrase|mnemonic|backup phrase|助记词",
  apiKey:
    "api key|apikey|api secret|apisecret|access key|accesskey|access key id|secret key|secretkey|secret access key|secretaccesskey|client secret|clientsecret|app secret|appsecret|consumer secret|account key|accountkey|encryption key|license key|subscription key|consumer key|auth key|storage key|service key|function key|shared access key|sharedaccesskey|aws secret|^app key|?key|&key|api schlüssel|clé api|clé d'api|clave api|clave de api|api密钥|api 密钥|密钥|apiキー|api キー|chiave api|ключ api|api ключ",
  token: "token|jeton|令牌|トークン|токен|session cookie|webhook secret|webhooksecret",
  password:
    "password|pass word|passwd|passwort|kennwort|passphrase|pass phrase|passcode|pass code|^pwd|^pw$|mot de passe|^mdp$|contraseña|senha|wachtwoord|hasło|пароль|пароля|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|lösenord|şifre|salasana|adgangskode|passord|^heslo|jelszó|mật khẩu|كلمة المرور|كلمة السر|סיסמה|पासवर्ड|รหัสผ่าน|^pass$|user pwd",
  /** Words with many other meanings, so the value must look more like a secret. */
  secret: "secret|^clave|^parola",
  /** The value may be an application's key, but also its public id. */
  appId: "appid$|app id$",
  /** The value may belong to a cookie, but may also be an id in a log. */
  sessionId: "session id|sessionid|sessid",
  /** A user name and its password follow. */
  login: "^login|^creds$|credentials$|zugangsdaten|anmeldedaten|^identifiants|^credenciales",
  pin: "^pin|^pins$|^puk$|^пин|code secret|türcode|门禁码",
  /** A code follows or precedes the cue word, if the words around it name something that the code opens. */
  code: "^code$|^codes$",
  combination: "combination|^combo$",
  lock: "key safe$|keysafe$|key box$|keybox$|lock box$|lockbox$|keypad$|padlock$|^alarm$|^locker$|^safe$|door entry$|combination lock$",
  licenceKey: "licence key|license key|product key|activation key|serial key|recovery key",
  /** A code precedes words such as "opens", or follows words such as "type". */
  opens:
    "^opens$|^open$|^unlocks$|^unlock$|^disarms$|gets you |lets you |^get us in|lets us |gets us |to get in|^punch|^key in|^type |^enter|^press|^dial ",
  bearer: "bearer ",
  basic: "authorization: basic "
} as const

export type CueTopic = keyof typeof cueWords
