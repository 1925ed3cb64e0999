import { endsBefore, type SecretFormat } from './secret-format.ts';

/** Secrets that their place identifies, also in a sentence. */
export const certainPlaces: readonly SecretFormat[] = [
  {
    name: 'password in a URL',
    anchors: ['://'],
    // User and password can contain an @, but not a slash.
    pattern: /:\/\/(?!git@|\*{3}@)([^\s/?#"'<>]{1,1024})@/y,
  },
  {
    name: 'password with a slash in a URL',
    anchors: ['://'],
    // Not encoded, so not valid, but common. A port is no password.
    pattern: /:\/\/[^\s/?#"'<>:@[]{0,128}:(?!\d{0,5}[/?#])([^\s"'<>]{1,128})@/y,
  },
  {
    name: 'address with a secret path',
    anchors: [
      'hooks.slack.com/services',
      'hooks.slack.com/workflows',
      'hooks.slack.com/triggers',
      'discord.com/api/webhooks',
      'discordapp.com/api/webhooks',
      'webhook.office.com/webhookb2',
      'api.telegram.org/bot',
    ],
    ignoresCase: true,
    pattern: /[a-z.]{1,20}\/(?:api\/webhooks|[a-z]{1,9}2?)\/?([^\s"'<>]+)/iy,
  },
  {
    name: 'key of an Azure connection string',
    anchors: ['AccountKey=', 'SharedAccessKey=', 'SharedAccessSignature=', '?sig=', '&sig=', ';sig='],
    pattern: /[?&;]?\w{3,21}=([^\s;&"']+)/y,
  },
  {
    name: 'signature of a URL',
    anchors: ['x-amz-signature=', 'x-goog-signature='],
    ignoresCase: true,
    pattern: /[\w-]{15,16}=([^\s&"']+)/y,
  },
];

const value = `(?:"((?:[^"\\\\]|\\\\.)+)"?|'([^']+)'?|\`([^\`]+)\`?|([^\\s"'\`]+))`;
const userAndPassword = String.raw`(?:"([^\s":]{0,256}:[^"\n]+)"?|'([^\s':]{0,256}:[^'\n]+)'?|([^\s"':]{0,256}:[^\s"']+))`;
/** Other options of a command. */
const before = String.raw`(?:[^\n]{0,120}?\s)??`;

/** Secrets that their place in a command or protocol identifies. */
export const places: readonly SecretFormat[] = [
  {
    name: 'Authorization header',
    anchors: ['authorization'],
    ignoresCase: true,
    pattern:
      /(?<![a-z])authorization["']?\s{0,4}[:=]\s{0,4}["']?((?:basic|bearer|token|digest|negotiate|apikey|aws4-hmac-sha256)\s{1,4}[^"'\n]+|[^\s"']+)/iy,
  },
  {
    name: 'credentials after their scheme',
    anchors: ['bearer', 'basic'],
    ignoresCase: true,
    pattern: /(?<![a-z])(?:bearer|basic)\s{1,4}([a-z0-9+/=._~-]{16,})/iy,
  },
  {
    name: 'user and password of a registry',
    // `_auth` in .npmrc, `"auth"` in the configuration of Docker.
    anchors: ['_auth', '"auth"', "'auth'"],
    ignoresCase: true,
    pattern: /(?:_auth\s{0,4}=\s{0,4}["']?|["']auth["']\s{0,4}:\s{0,4}["'])([a-z0-9+/]{16,}={0,2})/iy,
  },
  {
    name: 'cookie',
    anchors: ['cookie'],
    ignoresCase: true,
    pattern: /(?<![a-z])cookie["']?\s{0,4}:\s{0,4}["']?([^\s"'][^"'\n]*)/iy,
  },
  {
    name: 'password of a login command',
    anchors: ['login', 'sshpass'],
    pattern: /\b(?:login\s[^\n]{0,80}?(?<=\s)-p|sshpass\s{1,4}-p)[\s=]{1,4}["']?([^\s"']+)/y,
  },
  {
    name: 'user and password of curl',
    anchors: ['-u ', '-u=', '-u\t', '--user', '--proxy-user'],
    pattern: new RegExp(String.raw`(?<!\S)(?:-u|--user|--proxy-user)[\s=]{1,4}${userAndPassword}`, 'y'),
  },
  {
    name: 'user and password in short options of curl',
    anchors: ['curl'],
    pattern: new RegExp(String.raw`\bcurl\s${before}-[A-Za-z]{0,8}[uU]\s{0,4}${userAndPassword}`, 'y'),
  },
  {
    name: 'password of a MySQL client',
    anchors: ['mysql', 'mariadb'],
    pattern: new RegExp(String.raw`(?:mysql|mariadb)[a-z-]{0,12}\s${before}-p${value}`, 'y'),
  },
  {
    name: 'password of a Redis client',
    anchors: ['redis-cli', 'redis-benchmark'],
    pattern: new RegExp(String.raw`redis-(?:cli|benchmark)\s${before}(?:-a|--pass)[\s=]{1,4}${value}`, 'y'),
  },
];

export const secretNames =
  // PWD is also the working directory.
  'passw(?:or)?d|passphrase|pwd(?!["\'`]?\\s{0,4}[:=]\\s{0,4}["\'`]?(?:/|[A-Za-z]:))|secret|credential|(?<=[_-]|(?<![a-z])(?:admin|db|ftp|imap|ldap|mysql|pg|redis|root|smtp|ssh|user))pass(?![a-z])|_pat(?![a-z])|' +
  '(?<=(?:access|account|api|auth|deploy|encryption|master|private|signing|ssh|storage)[ _-]?)key(?!gen|scan|ring|s?tore)';
const rest = '[A-Za-z0-9_-]{0,40}';

/** Matches every text with one of `secretNames`. */
export const nameHint = /pass|pwd|secret|credential|token|_pat|key/i;

/** Code and lists of packages have such values after names of secrets: brackets, words of languages, versions and places. */
const ordinary =
  /^(?:[\][(){}<>,;:|.…]{1,4}|(?:true|false|null|none|nil|undefined|new|await|async|function|require\(.*|typeof)[,;]?|\d{1,6}:\d{1,6}\)?[,:]?|[\^~v]?\d{1,5}\.\d{1,5}\.\d{1,5})$/i;

/** A name in XML can have a colon and a dot. */
const isBeforeSecret = endsBefore(/[\w.-]/, /[\s\\"'`=:>]/);

/** Values with a name that says that they are secret. */
export const namedSecrets: readonly SecretFormat[] = [
  {
    name: 'assigned secret',
    pattern: new RegExp(
      `(?:${secretNames}|(?<!unexpected )token)${rest}\\\\{0,7}["'\`]?\\s{0,4}(?:=>|:=|=(?!=))\\s{0,4}\\\\{0,7}${value}`,
      'iy',
    ),
  },
  {
    name: 'secret in YAML or JSON',
    pattern: new RegExp(
      `(?:${secretNames})${rest}\\\\{0,7}["'\`]?\\s{0,4}:(?!:)\\s{0,4}\\\\{0,7}${value}`,
      'iy',
    ),
  },
  {
    name: 'token in YAML or JSON',
    // "Unexpected token: x" is a message of many parsers. A value with eight characters, one of them a digit, is a token.
    pattern: new RegExp(
      `token${rest}\\\\{0,7}["'\`]?\\s{0,4}:\\s{0,4}\\\\{0,7}(["'\`]?(?=[^\\s"'\`]{0,64}[0-9])[^\\s"'\`]{8,})`,
      'iy',
    ),
  },
  {
    name: 'secret in an element of XML',
    pattern: new RegExp(
      `(?<=<[\\w.:-]{0,40})(?:${secretNames}|token)[\\w.:-]{0,40}(?:\\s[^<>\\n]{0,200})?>\\s{0,4}([^<\\s][^<]*)`,
      'iy',
    ),
  },
  {
    name: 'secret that a sentence tells',
    // "The password is wrong" tells none. A value is in quotes, or is no word.
    pattern: new RegExp(
      `(?:${secretNames}|token)s?\\s{1,4}(?:is|was|are|will be|set to|changed to)(?:\\s{1,4}(?:now|set to))?:?\\s{1,4}` +
        '(?:"([^"\\s]{4,})"|\'([^\'\\s]{4,})\'|`([^`\\s]{4,})`|(?=[^\\s]{0,64}(?:[0-9!#$%&*@^_~]|(?-i:[a-z][A-Z])))([^\\s"\'`]{6,}))',
      'iy',
    ),
  },
  {
    name: 'secret option of a command',
    pattern: new RegExp(`(?<=--[a-z0-9-]{0,63})(?:${secretNames}|token)\\s{1,4}(?!-)${value}`, 'iy'),
  },
].map((format) => ({
  ...format,
  anchors: ['pass', 'pwd', 'secret', 'credential', 'token', 'key', '_pat'],
  ignoresCase: true,
  mayMatch: isBeforeSecret,
  isSecret: (text: string) => !ordinary.test(text),
}));
