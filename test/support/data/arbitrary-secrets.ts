import * as fc from 'fast-check';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const chars = (alphabet: string, minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
const word = (min: number, max?: number) => chars(letters + digits, min, max);
const url64 = (min: number, max?: number) => chars(`${letters}${digits}-_`, min, max);
const base64 = (min: number, max?: number) => chars(`${letters}${digits}+/`, min, max);
const hex = (min: number, max?: number) => chars('0123456789abcdef', min, max);

/** The text as a program prints it, and the parts of it that are secret. */
export interface Secret {
  text: string;
  parts: string[];
}

const token = (prefix: string, rest: fc.Arbitrary<string>): fc.Arbitrary<Secret> =>
  rest.map((random) => ({ text: prefix + random, parts: [random] }));
const inside = (before: string, secret: fc.Arbitrary<string>, after = ''): fc.Arbitrary<Secret> =>
  secret.map((random) => ({ text: before + random + after, parts: [random] }));

const jwt = fc.tuple(url64(20, 300), url64(30, 900), url64(43)).map(([header, claims, signature]) => ({
  text: `eyJ${header}.eyJ${claims}.${signature}`,
  parts: [header, claims, signature],
}));

const pem = fc
  .tuple(
    fc.constantFrom('', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '),
    fc.array(base64(64), { minLength: 1, maxLength: 50 }),
    fc.constantFrom('', '    ', '#12 0.345 ', '+ '),
  )
  .map(([kind, lines, indent]) => ({
    text: [`-----BEGIN ${kind}PRIVATE KEY-----`, ...lines, `-----END ${kind}PRIVATE KEY-----`]
      .map((line) => indent + line)
      .join('\n'),
    parts: lines,
  }));

const pemOnOneLine = base64(64, 500).map((body) => ({
  text: String.raw`{"private_key": "-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n", "a": 1}`,
  parts: [body],
}));

/** A password without quotes, spaces and slashes, longer than the words of the log. */
const password = chars(`${letters}${digits}!#$%&()*+,-.:;<=>?@[]^_{|}~`, 10, 40).filter(
  (text) => !/^[-*>=<]/.test(text),
);
const simplePassword = word(10, 30);

/** What is masked in every text. */
export const tokens: Record<string, fc.Arbitrary<Secret>> = {
  forgewatch: token('fw_', word(36)),
  groq: token('gsk_', word(52)),
  xai: token('xai-', word(80)),
  replicate: token('r8_', word(37)),
  perplexity: token('pplx-', word(48)),
  nvidia: token('nvapi-', url64(64)),
  pinecone: token('pcsk_', word(70)),
  doppler: token('dp.pt.', word(43)),
  netlify: token('nfp_', word(36)),
  render: token('rnd_', word(28)),
  fly: token('fo1_', url64(43)),
  heroku: token('HRKU-', url64(60)),
  planetscale: token('pscale_tkn_', word(43)),
  'supabase secret': token('sb_secret_', word(31)),
  'new relic': token('NRAK-', word(27)),
  honeycomb: token('hcaik_', word(58)),
  buildkite: token('bkua_', hex(40)),
  circleci: token('CCIPAT_abcdefghijklmnopqrstuv_', hex(40)),
  notion: token('ntn_', word(46)),
  airtable: token('patABCDEFGH123456.', hex(64)),
  figma: token('figd_', word(43)),
  tailscale: token('tskey-auth-', word(30)),
  resend: token('re_', word(8).map((id) => `${id}_aB3dE6gH9jK2mN5pQ8sT1vW4`)),
  brevo: token('xkeysib-', hex(64).map((id) => `${id}-aB3dE6gH9jK2mN5p`)),
  square: token('EAAA', word(60)),
  bedrock: token('ABSK', base64(120)),
  bitbucket: token('ATBB', word(32)),
  jfrog: token('AKCp', word(69)),
  packagist: token('packagist_uut_', hex(68)),
  clojars: token('CLOJARS_', hex(60)),
  dynatrace: token('dt0c01.ABCDEFGHIJKLMNOPQRSTUVWX.', chars(letters.slice(0, 26), 64)),
  '1password': token('ops_eyJ', word(120)),
  'azure devops': inside('', word(76), 'AZDO1a2B'),
  discord: token(`${btoa('112233445566778899')}.aB3dE6.`, url64(38)),
  'github ghp': token('ghp_', word(36)),
  'github gho': token('gho_', word(36)),
  'github ghs': token('ghs_', word(36)),
  'github ghu': token('ghu_', word(36)),
  'github ghr': token('ghr_', word(76)),
  'github pat': token('github_pat_', chars(`${letters}${digits}_`, 82)),
  gitlab: token('glpat-', url64(20)),
  'gitlab trigger': token('glptt-', hex(40)),
  npm: token('npm_', word(36)),
  pypi: token('pypi-', url64(100, 200)),
  'aws key': token('AKIA', chars('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)),
  'aws temporary key': token('ASIA', chars('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)),
  slack: fc
    .tuple(chars(digits, 12), chars(digits, 12), word(24))
    .map(([a, b, c]) => ({ text: `xoxb-${a}-${b}-${c}`, parts: [c] })),
  'slack webhook': inside('https://hooks.slack.com/services/T0000001/B0000001/', word(24)),
  stripe: token('sk_live_', word(24, 99)),
  'stripe restricted': token('rk_test_', word(24, 99)),
  google: token('AIza', url64(35)),
  'google access': token('ya29.', url64(60, 150)),
  openai: token('sk-', word(48)),
  'openai project': token('sk-proj-', url64(120)),
  anthropic: token('sk-ant-api03-', url64(93)),
  docker: token('dckr_pat_', url64(27)),
  vault: token('hvs.', url64(90)),
  sendgrid: token(
    'SG.',
    fc.tuple(url64(22), url64(43)).map((parts) => parts.join('.')),
  ),
  jwt,
  pem,
  'pem on one line': pemOnOneLine,
  'url with password': inside('https://deploy:', simplePassword, '@db.example.com:5432/app'),
  'url with any password': inside('postgres://app:', password, '@10.0.0.5/app').filter(
    ({ text }) => !/[/?#<>\s]/.test(text.slice('postgres://'.length, text.indexOf('@10.0.0.5'))),
  ),
  'url with slashes in its password': fc
    .tuple(word(10, 20), word(10, 20))
    .map(([one, two]) => ({ text: `https://app:${one}/${two}@db.example.com/app`, parts: [one, two] })),
  'url with token': inside('https://', word(40), '@git.example.com/a/b.git'),
  'signature of a URL': inside('https://s3.example.com/a?X-Amz-Date=1&X-Amz-Signature=', hex(64), '&b=1'),
  atlassian: token('ATATT3x', url64(180)),
  grafana: token(
    'glsa_',
    fc.tuple(word(32), hex(8)).map((parts) => parts.join('_')),
  ),
  supabase: token('sbp_', hex(40)),
  sonar: token('squ_', hex(40)),
  pulumi: token('pul-', hex(40)),
  'azure key': inside('AccountName=a;AccountKey=', base64(86), '==;EndpointSuffix=core.windows.net'),
};

/** What is masked where programs print it: only a name, a command or a protocol says that it is secret. */
const namedSecrets: Record<string, fc.Arbitrary<Secret>> = {
  'aws secret': inside('AWS_SECRET_ACCESS_KEY=', base64(40)),
  'aws secret in a file': inside('aws_secret_access_key = ', base64(40)),
  'authorization bearer': inside('Authorization: Bearer ', url64(20, 80)),
  'authorization basic': inside('> authorization: Basic ', base64(20, 80)),
  'authorization token': inside(`'Authorization': 'token `, hex(40), `'`),
  'proxy authorization': inside('Proxy-Authorization: Basic ', base64(20)),
  cookie: inside('Set-Cookie: session=', word(32), '; Path=/'),
  'password=': inside('password=', password),
  'env password': inside(
    'export DB_PASSWORD="',
    password.filter((text) => !/["\\]/.test(text)),
    '"',
  ),
  'yaml password': inside('  password: ', password),
  'json password': inside('{"user":"app","password":"', simplePassword, '","port":5432}'),
  'json in json': inside(String.raw`"{\"client_secret\":\"`, simplePassword, String.raw`\"}"`),
  'api key': inside('API_KEY=', simplePassword),
  'api-key header': inside('x-api-key: ', simplePassword),
  'access token': inside('access_token=', simplePassword, '&scope=all'),
  'npmrc password': inside('//npm.example.com/:_auth=', base64(24, 60)),
  'docker configuration': inside('{"auths":{"registry.example.com":{"auth":"', base64(24, 60), '"}}}'),
  'npmrc token': inside('//npm.example.com/:_authToken=', simplePassword),
  'option password': inside('docker login --username app --password ', simplePassword),
  'option p of login': inside('docker login -u app -p ', simplePassword, ' registry.example.com'),
  'password of sshpass': inside('sshpass -p ', simplePassword, ' ssh app@example.com'),
  'environment pass': inside('SMTP_PASS=', simplePassword),
  'curl user in one word': inside('curl -sSuapp:', simplePassword, ' https://example.com'),
  'curl user in quotes': fc
    .tuple(word(10, 20), word(10, 20))
    .map(([one, two]) => ({ text: `curl -u "app:${one} ${two}" https://example.com`, parts: [one, two] })),
  'curl token without a user': inside('curl -u :', simplePassword, ' https://example.com'),
  mysql: inside('mysql -h db.example.com -u app -p', simplePassword, ' shop'),
  mysqldump: inside('mysqldump -uapp -p"', simplePassword, '" shop'),
  redis: inside('redis-cli -h cache.example.com -a ', simplePassword, ' ping'),
  'psql url': inside('psql postgres://app:', simplePassword, '@db.example.com/shop'),
  'curl user': inside('curl -u app:', simplePassword, ' https://example.com'),
};

/** Secrets of every format that is masked in logs. */
export const secrets: Record<string, fc.Arbitrary<Secret>> = { ...tokens, ...namedSecrets };
