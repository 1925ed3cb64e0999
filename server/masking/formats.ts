/**
 * Formats of secrets. Each expression takes linear time: an unbounded class is last, or is preceded by a character that it does not
 * contain, so that no part of a text is read again and again. With a group, only the group is the secret.
 */
export interface SecretFormat {
  name: string;
  pattern: RegExp;
  /** Matches, in less time, every text that holds such a secret. */
  hint?: RegExp;
}

/** Not inside a longer word, or after an escaped line break. */
const start = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))`;

const prefixed = (name: string, pattern: string): SecretFormat => ({
  name,
  pattern: new RegExp(start + pattern, 'g'),
});

/** Tokens that their prefix identifies. */
const tokens: readonly SecretFormat[] = [
  prefixed('Forgewatch token', 'fw_[A-Za-z0-9_]{16,}'),
  prefixed('GitHub token', 'gh[opsru]_[A-Za-z0-9_.-]{16,}'),
  prefixed('GitHub fine-grained token', 'github_pat_[A-Za-z0-9_]{16,}'),
  prefixed('GitLab token', 'gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat|wt)-[A-Za-z0-9_.-]{16,}'),
  prefixed('GitLab runner registration token', 'GR1348941[A-Za-z0-9_-]{16,}'),
  prefixed('npm token', 'npm_[A-Za-z0-9]{30,}'),
  prefixed('PyPI token', 'pypi-[A-Za-z0-9_-]{40,}'),
  prefixed('RubyGems key', 'rubygems_[a-f0-9]{40,}'),
  prefixed('Cargo token', 'cio[A-Za-z0-9]{32}(?![A-Za-z0-9])'),
  prefixed('NuGet key', 'oy2[a-z0-9]{43}(?![A-Za-z0-9])'),
  prefixed('Docker token', 'dckr_[a-z]{2,5}_[A-Za-z0-9_-]{20,}'),
  prefixed('AWS access key', '(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])'),
  prefixed('Slack token', 'xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9.-]{10,}'),
  prefixed('Slack app token', 'xapp-[A-Za-z0-9-]{10,}'),
  prefixed('Stripe key', '[a-z]k_(?:live|test)_[A-Za-z0-9]{10,}'),
  prefixed('webhook secret', 'whsec_[A-Za-z0-9+/=_-]{16,}'),
  prefixed('Google API key', 'AIza[A-Za-z0-9_-]{30,}'),
  prefixed('Google access token', 'ya29\\.[A-Za-z0-9_-]{20,}'),
  prefixed('Google client secret', 'GOCSPX-[A-Za-z0-9_-]{20,}'),
  prefixed('OpenAI or Anthropic key', 'sk-[A-Za-z0-9_-]{20,}'),
  prefixed('Hugging Face token', 'hf_[A-Za-z0-9]{30,}'),
  prefixed('Vault token', 'hv[bsr]\\.[A-Za-z0-9_-]{20,}'),
  prefixed('Terraform Cloud token', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_-]{20,}'),
  prefixed('DigitalOcean token', 'do[a-z]_v1_[a-f0-9]{32,}'),
  prefixed('SendGrid key', 'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,}'),
  prefixed('Sentry token', 'sntry[a-z]_[A-Za-z0-9+/=_-]{20,}'),
  prefixed('Shopify token', 'shp[a-z]{2}_[A-Fa-f0-9]{32,}'),
  prefixed('Linear or Postman key', '(?:lin_api_|PMAK-)[A-Za-z0-9-]{20,}'),
  prefixed('Databricks token', 'dapi[a-f0-9]{32,}'),
  prefixed('Atlassian token', 'AT[AC]TT3x[A-Za-z0-9_=-]{20,}'),
  prefixed('Grafana token', 'gl(?:sa|c)_[A-Za-z0-9+/=_]{20,}'),
  prefixed('Supabase token', 'sbp_[a-f0-9]{32,}'),
  prefixed('Sonar token', 'sq[apu]_[a-f0-9]{32,}'),
  prefixed('Pulumi token', 'pul-[a-f0-9]{32,}'),
  prefixed('Telegram token', '[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}'),
  prefixed('age key', 'AGE-SECRET-KEY-1[A-Z0-9]{40,}'),
  prefixed('Groq key', 'gsk_[A-Za-z0-9]{40,}'),
  prefixed('xAI key', 'xai-[A-Za-z0-9_-]{60,}'),
  prefixed('Replicate token', 'r8_[A-Za-z0-9]{30,}'),
  prefixed('Perplexity key', 'pplx-[A-Za-z0-9]{40,}'),
  prefixed('NVIDIA key', 'nvapi-[A-Za-z0-9_-]{50,}'),
  prefixed('Pinecone key', 'pcsk_[A-Za-z0-9_]{40,}'),
  prefixed('Doppler token', 'dp\\.[a-z]{2,5}\\.[A-Za-z0-9._-]{30,}'),
  prefixed('Netlify token', 'nfp_[A-Za-z0-9]{30,}'),
  prefixed('Render key', 'rnd_[A-Za-z0-9]{20,}'),
  prefixed('Fly token', '(?:fo1|fm1[ar]|fm2)_[A-Za-z0-9+/=_-]{40,}'),
  prefixed('Heroku token', 'HRKU-[A-Za-z0-9_-]{30,}'),
  prefixed('PlanetScale token', 'pscale_[a-z]{2,5}_[A-Za-z0-9=._-]{32,}'),
  prefixed('Supabase key', 'sb_secret_[A-Za-z0-9_-]{20,}'),
  prefixed('New Relic key', 'NR(?:AK|II|IQ|JS|RA)-[A-Za-z0-9_-]{19,}'),
  prefixed('Honeycomb key', 'hc[a-z]ik_[A-Za-z0-9]{30,}'),
  prefixed('Buildkite token', 'bk[a-z]{2}_[a-f0-9]{40,}'),
  prefixed('CircleCI token', 'CCI(?:PAT|PRJ)_[A-Za-z0-9]{10,40}_[a-f0-9]{40,}'),
  prefixed('Notion token', '(?:ntn_[A-Za-z0-9]{43,}|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9_]))'),
  prefixed('Airtable token', 'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64,}'),
  prefixed('Figma token', 'fig[a-z]{1,2}_[A-Za-z0-9_-]{40,}'),
  prefixed('Tailscale key', 'tskey-[a-z]{3,10}-[A-Za-z0-9_-]{10,}'),
  prefixed('Resend key', 're_[A-Za-z0-9]{8}_(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{20,32}(?![A-Za-z0-9_])'),
  prefixed('Brevo key', '(?:xkeysib|xsmtpsib)-[a-f0-9]{64}-[A-Za-z0-9]{16,}'),
  prefixed('Square token', '(?:EAAA[A-Za-z0-9_-]{60,}|sq0[a-z]{3}-[A-Za-z0-9_-]{22,})'),
  prefixed('Dynatrace token', 'dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64,}'),
  prefixed('1Password service account', 'ops_eyJ[A-Za-z0-9+/=_-]{50,}'),
  prefixed('Bitbucket app password', 'ATBB[A-Za-z0-9_=.-]{28,}'),
  prefixed('Azure DevOps token', '[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])'),
  prefixed('AWS Bedrock key', 'ABSK[A-Za-z0-9+/]{60,}={0,2}'),
  prefixed(
    'JFrog key',
    '(?:AKCp[A-Za-z0-9]{69}|cmVmdGtu(?=[A-Za-z]{0,55}[0-9])[A-Za-z0-9]{56})(?![A-Za-z0-9+/=])',
  ),
  prefixed('Packagist token', 'packagist_[a-z]{2,4}_[a-f0-9]{40,}'),
  prefixed('Clojars token', 'CLOJARS_[a-z0-9]{60}(?![a-z0-9])'),
  // Its first part is a number in Base64.
  prefixed(
    'Discord bot token',
    '(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5}[A-Za-z0-9_-]{3,8}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}',
  ),
  prefixed('JSON Web Token', 'eyJ[A-Za-z0-9_-]{12,}(?:\\.[A-Za-z0-9_-]*){0,4}'),
];

/** Secrets that their place identifies, also in a sentence. */
const certainPlaces: readonly SecretFormat[] = [
  {
    name: 'password in a URL',
    // User and password can contain an @, but not a slash.
    pattern: /:\/\/(?!git@|\*{3}@)([^\s/?#"'<>]{1,1024})@/g,
  },
  {
    name: 'password with a slash in a URL',
    // Not encoded, so not valid, but common. A port is no password.
    pattern: /:\/\/[^\s/?#"'<>:@[]{0,128}:(?!\d{0,5}[/?#])([^\s"'<>]{1,128})@/g,
  },
  {
    name: 'address with a secret path',
    pattern:
      /(?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks|webhook\.office\.com\/webhookb2|api\.telegram\.org\/bot)\/?([^\s"'<>]+)/gi,
  },
  {
    name: 'key of an Azure connection string',
    pattern: /(?:AccountKey|SharedAccessKey|SharedAccessSignature|[?&;]sig)=([^\s;&"']+)/g,
  },
  {
    name: 'signature of a URL',
    pattern: /X-(?:Amz|Goog)-Signature=([^\s&"']+)/gi,
  },
];

const value = `(?:"((?:[^"\\\\]|\\\\.)+)"?|'([^']+)'?|\`([^\`]+)\`?|([^\\s"'\`]+))`;
const userAndPassword = String.raw`(?:"([^\s":]{0,256}:[^"\n]+)"?|'([^\s':]{0,256}:[^'\n]+)'?|([^\s"':]{0,256}:[^\s"']+))`;
/** Other options of a command. */
const before = String.raw`(?:[^\n]{0,120}?\s)??`;

/** Secrets that their place in a command or protocol identifies. */
const places: readonly SecretFormat[] = [
  {
    name: 'Authorization header',
    pattern:
      /(?<![a-z])(?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?((?:basic|bearer|token|digest|negotiate|apikey|aws4-hmac-sha256)\s{1,4}[^"'\n]+|[^\s"']+)/gi,
  },
  {
    name: 'credentials after their scheme',
    pattern: /(?<![a-z])(?:bearer|basic)\s{1,4}([a-z0-9+/=._~-]{16,})/gi,
  },
  {
    name: 'user and password of a registry',
    // `_auth` in .npmrc, `"auth"` in the configuration of Docker.
    pattern: /(?:_auth\s{0,4}=\s{0,4}["']?|["']auth["']\s{0,4}:\s{0,4}["'])([a-z0-9+/]{16,}={0,2})/gi,
  },
  {
    name: 'cookie',
    pattern: /(?<![a-z])(?:set-)?cookie["']?\s{0,4}:\s{0,4}["']?([^\s"'][^"'\n]*)/gi,
  },
  {
    name: 'password of a login command',
    pattern: /\b(?:login\s[^\n]{0,80}?(?<=\s)-p|sshpass\s{1,4}-p)[\s=]{1,4}["']?([^\s"']+)/g,
  },
  {
    name: 'user and password of curl',
    pattern: new RegExp(String.raw`(?<!\S)(?:-u|--user|--proxy-user)[\s=]{1,4}${userAndPassword}`, 'g'),
  },
  {
    name: 'user and password in short options of curl',
    pattern: new RegExp(String.raw`\bcurl\s${before}-[A-Za-z]{0,8}[uU]\s{0,4}${userAndPassword}`, 'g'),
  },
  {
    name: 'password of a MySQL client',
    pattern: new RegExp(String.raw`(?:mysql|mariadb)[a-z-]{0,12}\s${before}-p${value}`, 'g'),
  },
  {
    name: 'password of a Redis client',
    pattern: new RegExp(String.raw`redis-(?:cli|benchmark)\s${before}(?:-a|--pass)[\s=]{1,4}${value}`, 'g'),
  },
];

export const secretNames =
  // PWD is also the working directory.
  'passw(?:or)?d|passphrase|pwd(?!["\'`]?\\s{0,4}[:=]\\s{0,4}["\'`]?(?:/|[A-Za-z]:))|secret|credential|(?:(?<=[_-])|(?<![a-z])(?:admin|db|ftp|imap|ldap|mysql|pg|redis|root|smtp|ssh|user))pass(?![a-z])|(?<=_)pat(?![a-z])|' +
  '(?:access|account|api|auth|deploy|encryption|master|private|signing|ssh|storage)[ _-]?key(?!gen|scan|ring|s?tore)';
const rest = '[A-Za-z0-9_-]{0,40}';

/** Matches every text with one of `secretNames`. */
export const nameHint = /pass|pwd|secret|credential|token|_pat|key/i;

/** Values with a name that says that they are secret. */
const named: readonly SecretFormat[] = withHint(nameHint, [
  {
    name: 'assigned secret',
    pattern: new RegExp(
      `(?:${secretNames}|(?<!unexpected )token)${rest}\\\\{0,7}["'\`]?\\s{0,4}(?:=>|:=|=(?!=))\\s{0,4}\\\\{0,7}${value}`,
      'gi',
    ),
  },
  {
    name: 'secret in YAML or JSON',
    pattern: new RegExp(
      `(?:${secretNames})${rest}\\\\{0,7}["'\`]?\\s{0,4}:(?!:)\\s{0,4}\\\\{0,7}${value}`,
      'gi',
    ),
  },
  {
    name: 'token in YAML or JSON',
    // "Unexpected token: x" is a message of many parsers. A value with eight characters, one of them a digit, is a token.
    pattern: new RegExp(
      `token${rest}\\\\{0,7}["'\`]?\\s{0,4}:\\s{0,4}\\\\{0,7}(["'\`]?(?=[^\\s"'\`]{0,64}[0-9])[^\\s"'\`]{8,})`,
      'gi',
    ),
  },
  {
    name: 'secret in an element of XML',
    pattern: new RegExp(
      `<[\\w.:-]{0,40}(?:${secretNames}|token)[\\w.:-]{0,40}(?:\\s[^<>\\n]{0,200})?>\\s{0,4}([^<\\s][^<]*)`,
      'gi',
    ),
  },
  {
    name: 'secret that a sentence tells',
    // "The password is wrong" tells none. A value is in quotes, or is no word.
    pattern: new RegExp(
      `(?<![a-z])(?:${secretNames}|token)s?\\s{1,4}(?:is|was|are|will be|set to|changed to)(?:\\s{1,4}(?:now|set to))?:?\\s{1,4}` +
        '(?:"([^"\\s]{4,})"|\'([^\'\\s]{4,})\'|`([^`\\s]{4,})`|(?=[^\\s]{0,64}(?:[0-9!#$%&*@^_~]|(?-i:[a-z][A-Z])))([^\\s"\'`]{6,}))',
      'gi',
    ),
  },
  {
    name: 'secret option of a command',
    pattern: new RegExp(`--(?:[a-z0-9]{1,20}-){0,3}(?:${secretNames}|token)\\s{1,4}(?!-)${value}`, 'gi'),
  },
]);

function withHint(hint: RegExp, formats: SecretFormat[]): SecretFormat[] {
  return formats.map((format) => ({ ...format, hint }));
}

/** What is secret in any text. */
export const tokenFormats: readonly SecretFormat[] = [...tokens, ...certainPlaces];

export const secretFormats: readonly SecretFormat[] = [...tokenFormats, ...places, ...named];
