import { signature } from '#test/support/forge/post-webhook.ts';
import { bytesOf, filled, type Framing, type HttpCase, type Signer } from '../case.ts';
import type { Surroundings, World } from '../target.ts';

let requests = 0;

/** The request byte by byte as it goes over the wire. */
export function requestBytes(
  { who, method, target, headers, cookie, body, framing = 'length', signer }: HttpCase,
  { baseUrl, applicationSecret }: Surroundings,
  { values, cookies, webhookSecret }: World,
): Buffer {
  const sent = body === undefined ? Buffer.alloc(0) : bytesOf(body, values);
  const session = who === 'nobody' ? '' : cookies[who];
  const cookieLine = filled(cookie ?? '{cookies}', { ...values, cookies: session });
  const lines: [string, string][] = [
    ...(headers.some(([name]) => name === 'host')
      ? []
      : [['host', new URL(baseUrl).host] as [string, string]]),
    ...(headers.some(([name]) => name === 'connection') ? [] : [['connection', 'close'] as [string, string]]),
    // Limits by address would end a run early: each request comes from an address of its own.
    ['x-forwarded-for', newAddress()],
    ...(cookieLine === '' ? [] : [['cookie', cookieLine] as [string, string]]),
    ...(signer === undefined
      ? []
      : [
          ['x-hub-signature-256', signed(signer, sent, { webhookSecret, applicationSecret })] as [
            string,
            string,
          ],
        ]),
    ...headers.map(([name, value]): [string, string] => [name, filled(value, values)]),
    ...lengthLines(body === undefined && framing === 'length' ? 'none' : framing, sent.length),
  ];
  const head = [
    `${method} ${filled(target, values)} HTTP/1.1`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ];
  const payload = framing === 'chunked' || framing === 'both' ? chunked(sent) : sent;
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), payload]);
}

function newAddress(): string {
  const n = ++requests;
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
}

function signed(
  signer: Signer,
  body: Buffer,
  { webhookSecret, applicationSecret }: { webhookSecret: string; applicationSecret: string },
): string {
  const secret = { integration: webhookSecret, application: applicationSecret, stranger: 'a guess' }[signer];
  return signature(secret, body);
}

function lengthLines(framing: Framing, bytes: number): [string, string][] {
  const length = (value: number | string): [string, string] => ['content-length', String(value)];
  switch (framing) {
    case 'length':
      return [length(bytes)];
    case 'chunked':
      return [['transfer-encoding', 'chunked']];
    case 'both':
      return [length(bytes), ['transfer-encoding', 'chunked']];
    case 'twice':
      return [length(bytes), length(bytes + 1)];
    case 'short':
      return [length(bytes + 10)];
    case 'long':
      return [length(Math.max(0, bytes - 10))];
    case 'odd':
      return [length(bytes % 2 === 0 ? `+${bytes}` : `0x${bytes.toString(16)}`)];
    case 'none':
      return [];
  }
}

function chunked(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let start = 0; start < body.length; start += 1_000) {
    const piece = body.subarray(start, start + 1_000);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}
