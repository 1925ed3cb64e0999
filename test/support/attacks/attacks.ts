/** What each connection of an attack sends, again and again. */
export interface Attack {
  connections: number;
  head: string;
  piece?: string;
  times?: number;
  /** Between two pieces. */
  pauseMs?: number;
  isAborted?: boolean;
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const post = (path: string, headers: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n`;
const ofLength = (bytes: number): string => `Content-Length: ${bytes}\r\n`;
const mebibyte = 1024 * 1024;
const handshake =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const closing = 'Connection: close\r\n';
const connections = 300;

/** Of a person who knows the webhook URL of another integration, which is no secret. */
export const attacks: Record<string, (webhookPath: string) => Attack> = {
  'chunks of one byte': (path) => ({
    connections,
    head: post(path, 'Transfer-Encoding: chunked\r\n'),
    piece: '1\r\nx\r\n',
    times: 20_000,
  }),
  'chunks of 64 bytes': (path) => ({
    connections,
    head: post(path, 'Transfer-Encoding: chunked\r\n'),
    piece: `40\r\n${'x'.repeat(64)}\r\n`,
    times: 2_000,
  }),
  'chunks of 400 bytes': (path) => ({
    connections,
    head: post(path, 'Transfer-Encoding: chunked\r\n'),
    piece: `190\r\n${'x'.repeat(400)}\r\n`,
    times: 2_500,
  }),
  'heads that never end': () => ({
    connections,
    head: 'GET / HTTP/1.1\r\nHost: x\r\n',
    piece: 'A: b\r\n',
    pauseMs: 50,
  }),
  'large heads': () => ({ connections, head: get('/', `A: ${'x'.repeat(15_000)}\r\n${closing}`) }),
  'bodies of a mebibyte': (path) => ({
    connections,
    head: post(path, ofLength(mebibyte)),
    piece: 'x'.repeat(1024),
    times: 1024,
  }),
  'bodies of 20 mebibytes': (path) => ({
    connections,
    head: post(path, ofLength(20 * mebibyte)),
    piece: 'x'.repeat(mebibyte),
    times: 20,
  }),
  'small bodies': (path) => ({ connections, head: `${post(path, ofLength(2) + closing)}{}` }),
  'aborted bodies': (path) => ({
    connections,
    head: post(path, ofLength(mebibyte)),
    piece: 'x'.repeat(1024),
    times: 100,
    isAborted: true,
  }),
  'pipelined requests': () => ({
    connections,
    head: get('/healthz'),
    piece: get('/healthz'),
    times: 200,
  }),
  handshakes: () => ({ connections, head: get('/ws?token=x', handshake) }),
  'sign-in pages': () => ({ connections, head: get('/oidc/auth?client_id=x', closing) }),
  'messages for programs': () => ({ connections, head: `${post('/mcp', closing + ofLength(2))}{}` }),
  badges: () => ({ connections, head: get('/badge/AAAAAAAAAAAAAAAAAAAAAA.svg', closing) }),
  'links to a wallboard': () => ({
    connections,
    head: get('/api/shared-wallboard?key=AAAAAAAAAAAAAAAAAAAAAA', closing),
  }),
};
