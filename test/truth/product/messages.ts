import type { KillableProduct, Tenant } from '#test/support/product/killable-product.ts';

/** What people read about an incident: a mail, or a message in a chat. */
export interface Message {
  by: 'mail' | 'chat';
  title: string;
  /** By name. */
  facts: ReadonlyMap<string, string>;
}

export const mailboxOf = ({ integrationId }: Tenant): string => `${integrationId}@example.com`;
export const chatOf = ({ integrationId }: Tenant): string => `/${integrationId}/chat`;

export function messagesOf({ receiver, mails }: KillableProduct, tenant: Tenant): Message[] {
  const mailed = mails.filter(({ to }) => to.includes(mailboxOf(tenant))).map(({ source }) => mailOf(source));
  return [...mailed, ...receiver.callsTo(chatOf(tenant)).map(({ body }) => chatMessage(body))];
}

/** The text part: a title, and a line for each fact. */
function mailOf(source: string): Message {
  const [, encoding = '', text = ''] =
    /Content-Type: text\/plain[^\r\n]*\r\n(?:Content-Transfer-Encoding: (\S+)\r\n)?\r\n(.*?)\r\n--/s.exec(
      source,
    ) ?? [];
  const bytes = encoding === 'base64' ? Buffer.from(text, 'base64') : ofQuotedPrintable(text);
  const [title = '', ...lines] = plain(bytes.toString()).split(/\r?\n/);
  const facts = lines.flatMap((line) => {
    const [, name, value] = /^([A-Z][\w ]+): (.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value ?? ''] as const];
  });
  return { by: 'mail', title, facts: new Map(facts) };
}

function ofQuotedPrintable(text: string): Buffer {
  const joined = text.replace(/=\r\n/g, '');
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    /=[0-9A-F]{2}/.test(joined) ? 'latin1' : 'utf8',
  );
}

function chatMessage(body: string): Message {
  const { text, attachments } = JSON.parse(body) as {
    text: string;
    attachments: { fields: { title: string; value: string }[] }[];
  };
  const facts = attachments.flatMap(({ fields }) =>
    fields.map(({ title, value }) => [title, plain(value)] as const),
  );
  return { by: 'chat', title: plain(text), facts: new Map(facts) };
}

/** Without what keeps a text from becoming markup or a link. */
function plain(text: string): string {
  return text
    .replaceAll('\u2060', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
