import * as fc from 'fast-check';
import { framings, type Header, type HttpCase, type Piece } from '../case.ts';
import { pathOf, queryOf } from '../grammar/address.ts';
import { oddHeaders } from '../grammar/headers.ts';
import { oddText } from '../grammar/text.ts';
import type { RouteRow } from '../target.ts';

/** Requests that no client would send: odd methods, addresses and lengths, and pages that are in no table. */
export function rawCases(routes: readonly RouteRow[]): fc.Arbitrary<HttpCase> {
  const ofTable = fc.constantFrom(...routes).chain(({ path }) => pathOf(path));
  return fc.record({
    who: fc.constantFrom('nobody' as const, 'viewer' as const),
    method: fc.oneof(
      { arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'), weight: 8 },
      {
        arbitrary: fc.constantFrom('get', 'CONNECT', 'PROPFIND', 'M-SEARCH', 'X'.repeat(500), 'PRI'),
        weight: 1,
      },
    ),
    target: fc.oneof(
      { arbitrary: fc.tuple(ofTable, queryOf({})).map((parts) => parts.join('')), weight: 4 },
      { arbitrary: fc.constantFrom(...pages), weight: 3 },
      {
        arbitrary: fc.tuple(ofTable, fc.constantFrom(...spellings)).map(([path, change]) => change(path)),
        weight: 3,
      },
      { arbitrary: oddText.map(printable), weight: 1 },
    ),
    headers: fc.tuple(host, oddHeaders).map((parts) => parts.flat()),
    body: fc.oneof(
      fc.constant(undefined),
      fc.constantFrom<Piece[][]>(
        ['{}'],
        ['{"label":"x"}'],
        [{ each: '[', times: 5_000 }],
        [{ each: 'x', times: 300_000 }],
      ),
    ),
    framing: fc.constantFrom(...framings),
  });
}

const pages = [
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  '/config.json',
  '/openapi.json',
  '/docs',
  '/docs/',
  '/docs/json',
  '/docs/static/index.html',
  '/docs/static/..%2f..%2fpackage.json',
  '/favicon.ico',
  '/assets/x.js',
  '/ws',
  '/oidc',
  '/oidc/auth',
  '/integrations/x/runs',
  '/sign-in?error=%00',
  '/index.html',
  '/.env',
  '/api',
  '/api/',
  '/API/user',
  '*',
  '//evil.example/',
  '/\\evil',
  'http://evil.example/api/user',
  '/%',
  '/%00',
  '/?%',
  '/#x',
  '/..;/',
];

const spellings: ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => path.replaceAll('/', '//'),
  (path) => path.replace('/api/', '/api/./'),
  (path) => path.replace('/api/', '/x/../api/'),
  (path) => path.replace('/api/', '/%61pi/'),
  (path) => path.replace('/api/', '/api%2f'),
  (path) => path.replace('/api/', '/api/import/../'),
  (path) => path.toUpperCase(),
  (path) => `${path};x=1`,
  (path) => `${path}%20`,
  (path) => `${path}%00.json`,
  (path) => `http://localhost${path}`,
];

/** None, several, or another one than usual. */
const host: fc.Arbitrary<Header[]> = fc.constantFrom<Header[][]>(
  [],
  [],
  [],
  [],
  [['host', 'evil.example']],
  [['host', '']],
  [['transfer-encoding', 'gzip, chunked']],
  [['connection', 'keep-alive, x']],
  [['expect', '100-continue']],
);

const printable = (text: string): string =>
  `/${Buffer.from(text.toWellFormed())
    .toString('latin1')
    .replaceAll(/[\r\n ]/g, '')}`;
