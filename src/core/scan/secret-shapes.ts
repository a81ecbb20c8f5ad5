/**
 * The public formats of credentials: which prefix and length each vendor's tokens have, and the forms in which
 * protocols carry a secret. A table, so that a vendor is one row. Judges no context and no name.
 */

/** A format. Where `part` is given, that capture group is the secret, not the whole match. */
export interface SecretShape {
  readonly rule: string;
  readonly pattern: RegExp;
  readonly part?: number;
}

const before = '(?<![A-Za-z0-9])';
const after = '(?![A-Za-z0-9_])';

function token(rule: string, body: string): SecretShape {
  return { rule, pattern: new RegExp(`${before}${body}${after}`, 'g') };
}

/** Tokens that are recognised by themselves, wherever they stand. */
export const TOKEN_SHAPES: readonly SecretShape[] = [
  token('github-token', 'gh[opsur]_[A-Za-z0-9]{30,255}'),
  token('github-token', 'github_pat_[A-Za-z0-9_]{22,255}'),
  token('gitlab-token', 'gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent)-[A-Za-z0-9_.-]{20,300}'),
  token('anthropic-key', 'sk-ant-[A-Za-z0-9_-]{20,200}'),
  token('openai-key', 'sk-(?:proj-|svcacct-|admin-|or-v1-|lf-)?(?=[A-Za-z_-]{0,60}\\d)[A-Za-z0-9_-]{20,250}'),
  token('slack-token', 'xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,250}'),
  token('slack-token', 'xapp-\\d-[A-Za-z0-9-]{10,250}'),
  {
    rule: 'slack-webhook',
    pattern: /https:\/\/hooks\.slack\.com\/(?:services|workflows)\/([A-Za-z0-9/_]{20,200})/g,
    part: 1,
  },
  token('aws-access-key-id', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}'),
  token('google-api-key', 'AIza[A-Za-z0-9_-]{35}'),
  token('google-oauth-token', 'ya29\\.[A-Za-z0-9_-]{20,500}'),
  token('google-oauth-secret', 'GOCSPX-[A-Za-z0-9_-]{20,60}'),
  token('stripe-key', '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,250}'),
  token('webhook-secret', 'whsec_[A-Za-z0-9+/=]{20,120}'),
  token('npm-token', 'npm_[A-Za-z0-9]{36}'),
  token('pypi-token', 'pypi-[A-Za-z0-9_-]{50,500}'),
  token('hugging-face-token', 'hf_[A-Za-z0-9]{30,60}'),
  token('notion-token', '(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})'),
  token('linear-key', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,64}'),
  token('figma-token', 'fig(?:d|o|u|oh|or)_[A-Za-z0-9_-]{36,60}'),
  token('sendgrid-key', 'SG\\.[A-Za-z0-9_-]{20,24}\\.[A-Za-z0-9_-]{39,50}'),
  token('search-key', '(?:tvly-(?:dev-|prod-)?[A-Za-z0-9]{24,60}|fc-[0-9a-f]{32})'),
  token('inference-key', '(?:gsk_|xai-|pplx-|r8_|csk-|fw_)[A-Za-z0-9]{24,120}'),
  token('grafana-token', 'gl(?:sa|c)_[A-Za-z0-9_+/=]{32,400}'),
  token(
    'cloud-token',
    '(?:do[opr]_v1_[0-9a-f]{64}|dapi[0-9a-f]{32}(?:-\\d)?|sbp_[0-9a-f]{40}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64})',
  ),
  token(
    'cloud-token',
    '(?:hv[sbr]\\.[A-Za-z0-9_-]{24,300}|tskey-[a-z]+-[A-Za-z0-9-]{16,100}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|napi_[a-z0-9]{40,80})',
  ),
  token('heroku-key', 'HRKU-[A-Za-z0-9_-]{36,80}'),
  token('atlassian-token', 'ATATT3[A-Za-z0-9_=-]{50,300}'),
  token('jwt', 'eyJ[A-Za-z0-9_-]{8,4000}\\.eyJ[A-Za-z0-9_-]{8,8000}\\.[A-Za-z0-9_-]{0,2000}'),
  {
    rule: 'private-key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,200}?[A-Za-z0-9+/=]{40})(?:(?!-----)[\s\S]){0,12000}(?:-----END [A-Z0-9 ]{0,40}-----)?/g,
  },
];

/** A secret behind a scheme, as in the `Authorization` header. */
export const SCHEME_SHAPE: SecretShape = {
  rule: 'auth-scheme',
  pattern: /(?<![A-Za-z0-9])(?:bearer|basic|digest|apikey|api-key|token)\s{1,3}([A-Za-z0-9._~+/=-]{8,8000})/gi,
  part: 1,
};

/** A user, and mostly a password, before the host of a URL. Group 1 is the user, group 2 the password. */
export const USERINFO =
  /(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/([^\s/?#:@"'`<>]{0,300})(?::([^\s/?#"'`<>]{0,300}))?@/g;

/** `name=value`, `name: value`, `"name": "value"`, `--name value`, `?name=value`. Groups: flag dashes, name, value. */
export const ASSIGNMENT =
  /(?<![A-Za-z0-9_.-])(-{0,2})([A-Za-z][A-Za-z0-9_.-]{1,60})(?:["'`]?\s{0,3}[=:]\s{0,3}["'`]?|(?<=-{1,2}[A-Za-z0-9_.-]{2,61})\s{1,3}["']?)([^\s"'`,;&<>|(){}]{3,4000})/g;

/** Runs that may be base64, or a random value of any format. */
export const RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,20000}={0,2}(?![A-Za-z0-9+/_-])/g;
