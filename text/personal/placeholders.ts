const placeholder =
  /^(?:[<${%([|]|[*]{3}|…|\.{3}|x{3,}$|_{3}|-{3,}|(?:your|my|the|some|an?|insert|replace|change|put|enter|example|dummy|fake|placeholder|redacted|removed|hidden|secret|masked|see|ask|todo|tbd|null|none|nil|undefined|true|false|env|vault|await|new|get|string|str|required|optional|empty|bcrypt|argon2?(?:id)?|scrypt|md5|base64|oauth2?|utf-?8|[rh]s256|jwt|sha-?\d{1,3})(?![a-z0-9])|(?:process|os|import|config|settings|secrets?|self|this|env|req|request|args|params|data|options|props|user|credentials)\.|(?:op|ssm|arn|https?|file|vault):|\/|~\/|\.\/)|x{4}|[*]{3}|\.{3}|…|[<>(]|your[-_]|\$\{|\{\{|[-_]here$|placeholder|change-?me!?$/i

/**
 * Returns true if a value is not a secret, but a placeholder ("<token>", "$PASS", "your-password"), a path or a URL.
 */
export const isPlaceholder = (value: string): boolean => placeholder.test(value)
