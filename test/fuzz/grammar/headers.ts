import * as fc from 'fast-check';
import type { Header } from '../case.ts';
import { oddText } from './text.ts';

const names = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'content-encoding',
  'content-type',
  'expect',
  'host',
  'if-modified-since',
  'if-none-match',
  'origin',
  'range',
  'referer',
  'sec-fetch-site',
  'te',
  'trailer',
  'upgrade',
  'connection',
  'via',
  'forwarded',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-request-id',
  'x-http-method-override',
  'x-original-url',
  'cookie',
  'x-github-event',
  'keep-alive',
  'x-github-delivery',
  'x-hub-signature-256',
  '__proto__',
  'constructor',
  'x',
  'access-control-request-method',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'traceparent',
  'date',
  'http2-settings',
];

const values = [
  '',
  '*/*',
  'text/html',
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=',
  'application/json; charset=utf-16',
  'APPLICATION/JSON;;;',
  'gzip',
  'gzip, br;q=0',
  'identity',
  '100-continue',
  'websocket',
  'h2c',
  'close',
  'keep-alive',
  'bytes=0-1',
  'bytes=0-,0-,0-',
  'same-origin',
  'cross-site',
  'null',
  'Bearer x',
  'Basic eDp4',
  'https://evil.example',
  '{publicUrl}',
  '0',
  '-1',
  'x, y, z',
  'trailers',
  'chunked',
];

/** What may stand in a header without ending it; as Latin-1, each character one byte. */
const oddValue = oddText.map((text) =>
  Buffer.from(text.toWellFormed())
    .toString('latin1')
    .replaceAll(/[\r\n\0]/g, ''),
);

const header: fc.Arbitrary<Header> = fc.oneof(
  { arbitrary: fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values)), weight: 6 },
  { arbitrary: fc.tuple(fc.constantFrom(...names), oddValue), weight: 3 },
  {
    arbitrary: fc.tuple(
      fc.constantFrom(...names),
      fc
        .tuple(fc.constantFrom('x', ', ', 'a=b; ', '"', '\\', '*/*,', ' ', 'gzip,'), fc.nat(9_000))
        .map(([each, times]) => each.repeat(times / each.length)),
    ),
    weight: 1,
  },
);

/** Headers beside those that a request needs; one may come several times. */
export const oddHeaders: fc.Arbitrary<Header[]> = fc.oneof(
  { arbitrary: fc.constant<Header[]>([]), weight: 4 },
  { arbitrary: fc.array(header, { minLength: 1, maxLength: 3 }), weight: 4 },
  {
    arbitrary: fc
      .tuple(header, fc.integer({ min: 2, max: 120 }))
      .map(([each, times]) => Array<Header>(times).fill(each)),
    weight: 1,
  },
);

const cookieNames = [
  'accessToken',
  'idToken',
  'refreshToken',
  'signIn',
  '__Host-accessToken',
  '__proto__',
  'x',
];

/** What replaces a session's cookies. */
export const cookieText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('{cookies}', '{cookies}; {cookies}', '{cookies}; x', ';;;{cookies}', '{cookies}x'),
  fc
    .array(fc.tuple(fc.constantFrom(...cookieNames), oddValue), { maxLength: 4 })
    .map((pairs) => ['{cookies}', ...pairs.map(([name, value]) => `${name}=${value}`)].join('; ')),
  fc
    .array(fc.tuple(fc.constantFrom(...cookieNames), oddValue), { maxLength: 4 })
    .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('; ')),
  fc
    .tuple(fc.constantFrom(...cookieNames), fc.constantFrom('=', '"', '%', 'eyJ.', 'a; ', '.'), fc.nat(8_000))
    .map(([name, each, times]) => `${name}=${each.repeat(times / each.length)}`),
);
