/** OpenID claims about a forge account. Unknown ones are omitted. */
export interface ForgeProfile {
  sub: string;
  forge_id: string;
  nickname: string;
  preferred_username: string;
  name: string;
  picture?: string;
  profile?: string;
  email?: string;
  email_verified?: true;
  updated_at?: number;
}

/** Reads the answers of `GET /user` and `GET /user/emails`. Undefined without a valid id and login. */
export function profileOf(user: unknown, emails: unknown): ForgeProfile | undefined {
  const fields = Object(user) as Record<string, unknown>;
  const { id, login } = fields;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) return undefined;
  if (typeof login !== 'string' || login === '') return undefined;
  const email = verifiedEmail(emails);
  return {
    sub: String(id),
    forge_id: String(id),
    nickname: login,
    preferred_username: login,
    // GitHub has `name`, Gitea and Forgejo `full_name`; either may be empty.
    name: text(fields['name']) ?? text(fields['full_name']) ?? login,
    ...present('picture', text(fields['avatar_url'])),
    ...present('profile', text(fields['html_url'])),
    ...present('updated_at', seconds(fields['updated_at'])),
    ...(email === undefined ? {} : { email, email_verified: true }),
  };
}

/** The primary address if it is verified, otherwise another verified one. Unverified addresses prove nothing. */
function verifiedEmail(emails: unknown): string | undefined {
  const verified = (Array.isArray(emails) ? emails : [])
    .map((each) => Object(each) as Record<string, unknown>)
    .filter((each) => each['verified'] === true && text(each['email']) !== undefined);
  const chosen = verified.find((each) => each['primary'] === true) ?? verified[0];
  return text(chosen?.['email']);
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function seconds(value: unknown): number | undefined {
  const ms = Date.parse(text(value) ?? '');
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

function present<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
