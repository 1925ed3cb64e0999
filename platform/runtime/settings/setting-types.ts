import ipaddr from 'ipaddr.js';

/** Parses the text of a variable. Throws an Error whose message completes "should be …". */
export type SettingType<T> = (text: string) => T;

export const text: SettingType<string> = (value) => value;

const passphraseLength = 16;

export const passphrase: SettingType<string> = (value) => {
  if (value.length < passphraseLength) throw new Error(`at least ${passphraseLength} characters`);
  return value;
};

export function integer(min: number, max: number): SettingType<number> {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`a whole number from ${min} to ${max}`);
    }
    return number;
  };
}

/** Returned as one comma-separated text for the mail header. */
export const mailAddresses: SettingType<string> = (value) => {
  const addresses = list(value);
  if (addresses.length === 0 || !addresses.every((each) => /^[^\s@<>,;]+@[^\s@<>,;]+$/.test(each))) {
    throw new Error('mail addresses such as ops@example.com, comma-separated');
  }
  return addresses.join(', ');
};

/** People by e-mail address, e-mail domain and forge login, all in lower case. */
export interface People {
  addresses: readonly string[];
  /** Everyone with a verified address in the domain. */
  domains: readonly string[];
  /** Logins at the forge. */
  logins: readonly string[];
}

export const people: SettingType<People> = (value) => {
  const entries = list(value.toLowerCase());
  const isLogin = (entry: string): boolean => /^[a-z0-9][a-z0-9._-]*$/.test(entry);
  const isAddress = (entry: string): boolean => /^(\*|[^\s@<>,;*]+)@[^\s@<>,;*]+$/.test(entry);
  if (!entries.every((entry) => isLogin(entry) || isAddress(entry)))
    throw new Error('addresses such as ann@example.com or *@example.com and forge logins, comma-separated');
  return {
    addresses: entries.filter((entry) => entry.includes('@') && !entry.startsWith('*@')),
    domains: entries.flatMap((entry) => (entry.startsWith('*@') ? [entry.slice(2)] : [])),
    logins: entries.filter(isLogin),
  };
};

export const flag: SettingType<boolean> = (value) => {
  if (value !== '0' && value !== '1') throw new Error('0 or 1');
  return value === '1';
};

export function oneOf<const T extends string>(...choices: T[]): SettingType<T> {
  return (value) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new Error(`one of ${choices.join(', ')}`);
    return choice;
  };
}

/** A URL without a trailing slash, so that paths can be appended to it. */
export function url(...protocols: string[]): SettingType<string> {
  return (value) => {
    const wanted = `a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
    if (!URL.canParse(value)) throw new Error(wanted);
    if (!protocols.includes(new URL(value).protocol)) throw new Error(wanted);
    return value.replace(/\/+$/, '');
  };
}

/** Requires the name of the database: the default of Postgres is the name of the role, which differs per connection. */
export const databaseUrl: SettingType<string> = (value) => {
  const parsed = url('postgres:', 'postgresql:')(value);
  if (new URL(parsed).pathname.length < 2)
    throw new Error('a URL that names the database, such as postgres://user:password@host:5432/forgewatch');
  return parsed;
};

/** A `url` without user, password, query and fragment, because it is displayed, sent and compared. */
export function address(...protocols: string[]): SettingType<string> {
  const parse = url(...protocols);
  return (value) => {
    const parsed = parse(value);
    if (!/^[a-z]+:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?$/i.test(parsed))
      throw new Error('an address without user, password, query or fragment, such as https://ci.example.com');
    return parsed;
  };
}

/** An `address` without a path, returned as an origin: cookies and pages use paths from the root. */
export function site(...protocols: string[]): SettingType<string> {
  const parse = address(...protocols);
  return (value) => {
    const { origin, pathname } = new URL(parse(value));
    if (pathname !== '/') throw new Error('an address without a path, such as https://ci.example.com');
    return origin;
  };
}

/** URL of an Amazon SQS FIFO queue. Its path contains the account and the name. */
export const fifoQueueUrl: SettingType<string> = (value) => {
  const wanted =
    'the URL of an Amazon SQS FIFO queue, such as https://sqs.eu-central-1.amazonaws.com/123456789012/forgewatch.fifo';
  if (!/^https?:\/\/[^\s/?#@]+(\/[^\s/?#]+)+\.fifo$/.test(value) || !URL.canParse(value))
    throw new Error(wanted);
  return value;
};

/** Exact origins: no wildcard, path, query, trailing slash or `null`. */
export const originList: SettingType<string[]> = (value) =>
  list(value).map((entry) => {
    // `*` is valid in a host, but no browser sends such an origin.
    const isOrigin = URL.canParse(entry) && new URL(entry).origin === entry && !entry.includes('*');
    if (!isOrigin || !/^https?:/.test(entry)) {
      throw new Error(
        'origins such as https://ci.example.com, comma-separated, without path or trailing slash',
      );
    }
    return entry;
  });

/** Comma-separated 32-byte keys in base64. The first key encrypts, all keys decrypt. */
export const keyList: SettingType<Buffer[]> = (value) =>
  list(value).map((entry) => {
    const key = Buffer.from(entry, 'base64');
    if (key.length !== 32 || new Set(key).size < 8) {
      throw new Error('32 random bytes in base64 (make one with: openssl rand -base64 32)');
    }
    return key;
  });

export const headerNames: SettingType<string[]> = (value) =>
  list(value).map((entry) => {
    if (!/^[a-z0-9-]+$/i.test(entry)) throw new Error('HTTP header names, comma-separated');
    return entry.toLowerCase();
  });

/** Networks in CIDR notation. A single address is a `/32` or `/128`. */
export const networkList: SettingType<string[]> = (value) =>
  list(value).map((entry) => {
    if (!ipaddr.isValidCIDR(entry))
      throw new Error('networks such as 10.0.0.0/8 or fd00::/8, comma-separated');
    return entry;
  });

const port = integer(1, 65_535);

export const portList: SettingType<number[]> = (value) => {
  try {
    return list(value).map(port);
  } catch {
    throw new Error('ports from 1 to 65535 such as 443, comma-separated');
  }
};

export const queryString: SettingType<[string, string][]> = (value) => {
  const pairs = [...new URLSearchParams(value)];
  if (pairs.length === 0 || pairs.some(([name]) => name === ''))
    throw new Error('a query such as name=value&name=value');
  return pairs;
};

/** Refuses `aws.cognito.signin.user.admin`, with which Cognito users can change their own attributes, such as their e-mail. */
export const scopes: SettingType<string> = (value) => {
  const names = value.split(/\s+/);
  if (!names.includes('openid')) throw new Error('scopes that include openid, separated by spaces');
  if (names.includes('aws.cognito.signin.user.admin'))
    throw new Error(
      'scopes without aws.cognito.signin.user.admin, which lets users change their own identity',
    );
  return names.join(' ');
};

function list(value: string): string[] {
  const entries = value.split(',').map((entry) => entry.trim());
  if (entries.some((entry) => entry === '')) throw new Error('a comma-separated list without empty entries');
  return entries;
}
