import type { CredentialKind } from "./kinds.js"

interface KeyFormat {
  readonly kind: CredentialKind
  /** Matches at the start of a run of letters, digits, - _ and dots. */
  readonly shape: RegExp
}

const endOfKey = "(?![A-Za-z0-9_-])"
const format = (kind: CredentialKind, prefix: string, body: string): readonly [letter: string, KeyFormat] => [
  prefix[0]!,
  { kind, shape: new RegExp(`^(?:${prefix})${body}${endOfKey}`) }
]
const apiKey = (prefix: string, body: string) => format("api-key", prefix, body)
const token = (prefix: string, body: string) => format("token", prefix, body)

/** The key formats that issuers document, by the first letter of the key. */
const shapes = [
  apiKey("AKIA|ASIA|ABIA|ACCA", "[A-Z0-9]{16}"),
  apiKey("AIza", "[\\w-]{35}"),
  apiKey("APIKEY", "[\\w-]{24,64}"),
  token("ATATT3|ATCTT3", "[\\w=-]{60,240}"),
  format("private-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
  token("EAA", "(?=[A-Za-z0-9]{0,300}\\d)[A-Za-z0-9]{60,300}"),
  apiKey("GOCSPX-", "[\\w-]{28}"),
  apiKey("LTAI", "[A-Za-z0-9]{12,20}"),
  apiKey("NRAK-", "[A-Z0-9]{27}"),
  apiKey("PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
  apiKey("SG\\.", "[\\w-]{16,32}\\.[\\w-]{16,64}"),
  apiKey("SK", "[0-9a-f]{32}"),
  format("private-key", "S", "(?=[A-Z2-7]{0,54}[2-7])[A-Z2-7]{55}"),
  format("private-key", "5[HJK]", "[1-9A-HJ-NP-Za-km-z]{49}"),
  format("private-key", "K", "[1-9A-HJ-NP-Za-km-z]{51}"),
  format("private-key", "L", "[1-9A-HJ-NP-Za-km-z]{51}"),
  token("atlasv1\\.", "[\\w-]{40,80}"),
  token("apify_api_", "[A-Za-z0-9]{36}"),
  apiKey("csk-", "[a-z0-9]{40,64}"),
  apiKey("co_", "[A-Za-z0-9]{40}"),
  token("d[oo][opr]_v1_", "[0-9a-f]{64}"),
  apiKey("dapi", "[0-9a-f]{32}(?:-\\d)?"),
  token("dckr_(?:pat|oat)_", "[\\w-]{24,64}"),
  token("dp\\.(?:pt|st|ct|sa)\\.", "[\\w.-]{40,80}"),
  token("eyJ", "[\\w-]{10,1024}\\.eyJ[\\w-]{8,1024}\\.[\\w-]{16,512}"),
  token("eyJ", "[\\w-]{10,1024}\\.\\.[\\w-]{8,256}\\.[\\w-]{8,512}\\.[\\w-]{16,64}"),
  token("figd_|figu_", "[\\w-]{36,60}"),
  token("fo1_", "[\\w-]{40,50}"),
  apiKey("fw_", "[A-Za-z0-9]{20,40}"),
  token("gh[oprsu]_", "[A-Za-z0-9]{36,255}"),
  token("github_pat_", "[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
  token("gl(?:pat|dt|rt|ptt|cbt|ft|imt|agent|oas|soat)-", "(?=[\\w.-]{0,64}\\d)[\\w.-]{20,64}"),
  apiKey("gsk_", "[A-Za-z0-9]{40,64}"),
  token("glsa_|glc_", "[\\w-]{32,128}"),
  token("hf_", "[A-Za-z0-9]{30,40}"),
  token("hv[bsr]\\.", "[\\w-]{24,160}"),
  apiKey("key-", "[0-9a-f]{32}"),
  apiKey("lin_(?:api|oauth)_", "[A-Za-z0-9]{32,64}"),
  apiKey("lsv2_(?:pt|sk)_", "[0-9a-f]{32}_[0-9a-f]{10}"),
  format("private-key", "nsec1", "[02-9ac-hj-np-z]{58}"),
  token("npm_", "[A-Za-z0-9]{36}"),
  apiKey("nvapi-", "[\\w-]{60,70}"),
  token("ntn_", "[A-Za-z0-9]{40,50}"),
  token("nf[pcb]_", "[A-Za-z0-9]{36,40}"),
  token("pypi-", "[\\w-]{50,255}"),
  apiKey("pplx-", "[A-Za-z0-9]{40,60}"),
  token("pat", "[A-Za-z0-9]{14}\\.[0-9a-f]{64}"),
  apiKey("phx_", "[A-Za-z0-9]{32,60}"),
  token("pul-", "[0-9a-f]{40}"),
  token("pscale_(?:tkn|oauth|pw)_", "[\\w.-]{32,64}"),
  apiKey("rk_(?:live|test)_", "[A-Za-z0-9]{16,128}"),
  apiKey("r8_", "[A-Za-z0-9]{37}"),
  token("rubygems_", "[0-9a-f]{48}"),
  apiKey("re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}"),
  apiKey("sk_(?:live|test)_", "[A-Za-z0-9]{16,128}"),
  apiKey("sk-(?:proj-|svcacct-|admin-|ant-(?:api|admin|oat)\\d\\d-|or-v1-|lf-)", "(?=[\\w-]{0,250}\\d)[\\w-]{16,256}"),
  apiKey("sk-", "(?=[A-Za-z0-9]{0,128}\\d)(?=[A-Za-z0-9]{0,128}[A-Za-z])[A-Za-z0-9]{20,128}"),
  apiKey("sk_", "(?=[0-9a-f]{0,64}\\d)[0-9a-f]{40,64}"),
  token("shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]{32}"),
  token("sntry[su]_", "[\\w=+/-]{40,256}"),
  token("secret_", "(?=[A-Za-z0-9]{0,60}\\d)[A-Za-z0-9]{40,60}"),
  token("sbp_", "[0-9a-f]{40}"),
  apiKey("sb_secret_", "[\\w-]{28,48}"),
  token("sq0(?:atp|csp|idp)-", "[\\w-]{22,43}"),
  apiKey("tvly-", "(?:dev-|prod-)?[A-Za-z0-9]{28,40}"),
  token("tfp_", "[\\w-]{40,60}"),
  token("vercel_|vc[pikar]_", "[A-Za-z0-9]{24,60}"),
  apiKey("whsec_", "[A-Za-z0-9+/=]{24,64}"),
  token("xox[abeoprs]-", "(?=[\\w-]{0,200}\\d)[\\w-]{20,250}"),
  token("xapp-", "\\d-[A-Z0-9]{8,14}-\\d{8,16}-[0-9a-f]{32,64}"),
  apiKey("xai-", "[A-Za-z0-9]{60,90}"),
  apiKey("xkeysib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
  format("private-key", "xprv", "[1-9A-HJ-NP-Za-km-z]{100,112}"),
  token("ya29\\.", "[\\w-]{30,512}")
]

/** Keys without a fixed prefix: Mailchimp, Discord. */
const unprefixed: ReadonlyArray<KeyFormat> = [
  { kind: "api-key", shape: new RegExp(`^[0-9a-f]{32}-us\\d{1,2}${endOfKey}`) },
  { kind: "token", shape: new RegExp(`^[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}${endOfKey}`) }
]

const byLetter = new Map<string, ReadonlyArray<KeyFormat>>()
for (const [letter, shape] of shapes.toReversed())
  byLetter.set(letter, [shape, ...(byLetter.get(letter) ?? unprefixed)])

/** The formats that a run may have, selected by its first letter. */
export const keyFormatsOf = (run: string): ReadonlyArray<KeyFormat> => byLetter.get(run[0] ?? "") ?? unprefixed
