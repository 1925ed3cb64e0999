import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '#contract/base/errors.ts';
import { closeCodes, controlProtocol } from '#contract/runs/realtime.ts';
import { pathOf } from '#platform/http/chain/canonical-path.ts';
import { hasOneHost } from '#platform/http/chain/one-host.ts';
import type { TokenClaims } from './ws-token.ts';

export interface Refusal {
  code: ErrorCode;
  detail: string;
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
  /** For clients of the control protocol, because browsers hide the HTTP status from pages. */
  closeCode?: number;
}

export interface Accepted {
  claims: TokenClaims;
  isControl: boolean;
}

export interface HandshakeRules {
  path: string;
  allowedOrigins: readonly string[];
  isDraining(): boolean;
  isFull(): boolean;
  /** Counts the handshake against the rate limit of its address. */
  isWithinRateLimit(request: IncomingMessage): boolean;
  verify(token: string): TokenClaims | undefined;
  hasRoomFor(userId: string): boolean;
}

type Answer = { refusal: Refusal } | { accepted: Accepted };

/** Makes all checks that need no database, cheapest first, so that a flood of handshakes costs little. */
export function checkHandshake(request: IncomingMessage, rules: HandshakeRules): Answer {
  const refusal =
    refuseByState(rules) ??
    refuseByForm(request, rules.path) ??
    (rules.isWithinRateLimit(request) ? undefined : tooMany('Too many connections from this address.')) ??
    refuseByOrigin(request, rules.allowedOrigins);
  if (refusal !== undefined) return { refusal };
  const query = new URLSearchParams((request.url ?? '').slice(rules.path.length));
  const channels = query.getAll('channel');
  if (channels.length !== 1 || channels[0] !== 'workflows') {
    return {
      refusal: { code: 'invalid_request', detail: 'Missing or repeated query parameter channel=workflows.' },
    };
  }
  const protocols = protocolsOf(request);
  const tokens = [
    ...query.getAll('token'),
    ...protocols.filter((name) => name.startsWith(tokenPrefix)).map((name) => name.slice(tokenPrefix.length)),
  ];
  const claims = tokens.length === 1 ? rules.verify(tokens[0] ?? '') : undefined;
  if (claims === undefined) {
    return {
      refusal: {
        code: 'unauthenticated',
        detail: 'The token is missing, invalid or expired. Request a new one.',
      },
    };
  }
  if (!rules.hasRoomFor(claims.userId)) {
    const refusal = tooMany('You have too many connections open.');
    const hasCloseCode = protocols.includes(controlProtocol);
    return { refusal: hasCloseCode ? { ...refusal, closeCode: closeCodes.tooManyConnections } : refusal };
  }
  const isControl = protocols.includes(controlProtocol) || query.get('hello') === '1';
  return { accepted: { claims, isControl } };
}

/** Browsers cannot set headers on a handshake, but can list protocols, which access logs do not contain. */
const tokenPrefix = 'token.';

function protocolsOf({ headers }: IncomingMessage): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}

function refuseByState(rules: HandshakeRules): Refusal | undefined {
  if (rules.isDraining())
    return { code: 'try_again', detail: 'This node is shutting down.', retryAfterSeconds: 1 };
  if (rules.isFull()) return { code: 'try_again', detail: 'This node is full.', retryAfterSeconds: 5 };
  return undefined;
}

function refuseByForm(request: IncomingMessage, path: string): Refusal | undefined {
  const { method, url = '', headers } = request;
  if (!hasOneHost(request)) return { code: 'invalid_request', detail: 'Send the header Host once.' };
  if (pathOf(url) !== path) return { code: 'not_found', detail: `WebSockets are at ${path}.` };
  if (method !== 'GET') return { code: 'method_not_allowed', detail: 'Use GET.', headers: { allow: 'GET' } };
  if (headers.upgrade?.toLowerCase() !== 'websocket') {
    return { code: 'invalid_request', detail: 'The header Upgrade must be websocket.' };
  }
  if (headers['sec-websocket-version'] !== '13') {
    return {
      code: 'invalid_request',
      detail: 'Sec-WebSocket-Version must be 13.',
      headers: { 'sec-websocket-version': '13' },
    };
  }
  if (!/^[+/0-9a-z]{22}==$/i.test(headers['sec-websocket-key'] ?? '')) {
    return { code: 'invalid_request', detail: 'Sec-WebSocket-Key is missing or malformed.' };
  }
  return undefined;
}

/** Prevents cross-site WebSocket hijacking. Programs send no origin. */
function refuseByOrigin({ headers }: IncomingMessage, allowed: readonly string[]): Refusal | undefined {
  if (headers.origin === undefined || allowed.includes(headers.origin)) return undefined;
  return {
    code: 'origin_not_allowed',
    detail: 'The origin is not allowed. If it is yours, add it to WEB_ORIGINS.',
  };
}

function tooMany(detail: string): Refusal {
  return { code: 'too_many_requests', detail, retryAfterSeconds: 2 };
}
