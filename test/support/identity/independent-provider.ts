import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';
import { Provider } from 'oidc-provider';
import { configurationOf, type IndependentProviderOptions } from './independent-provider-configuration.ts';

export interface TokenAnswerBody {
  access_token?: string;
  id_token?: string;
  refresh_token?: string;
  [field: string]: unknown;
}

export interface IndependentProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Grant types asked for at the token endpoint so far. */
  tokenCalls: string[];
  /** Refresh tokens that were revoked at the revocation endpoint, in order. */
  revoked: string[];
  /** Changes what the token endpoint answers; undefined leaves it as it is. */
  tamper: ((body: TokenAnswerBody, sign: Sign) => Promise<TokenAnswerBody>) | undefined;
  /** What the token endpoint answers instead of what it should. */
  answer: { status: number; body: string; headers?: Record<string, string> } | undefined;
  /** Compares credentials in HTTP Basic as they come, without percent-decoding, as Gitea does. */
  takesBasicLiterally: boolean;
  /** Delays the token endpoint, so that requests overlap. */
  tokenDelayMs: number;
  /** Publishes one more key, with which `tamper` signs from then on. */
  rotateKey(): Promise<void>;
  /** Closes the port and every connection: nobody answers until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Signs with the provider's newest key: what is wrong is then in the claims alone. */
export type Sign = (claims: JWTPayload, typ?: string) => Promise<string>;

/**
 * An OpenID provider that has nothing to do with the product: `oidc-provider` with claims as Amazon Cognito names them
 * and refresh tokens that are good for one use. Whatever login is entered is the person who signs in.
 */
export async function startIndependentProvider(
  options: IndependentProviderOptions,
): Promise<IndependentProvider> {
  const keys = [await newKey('independent')] as [SigningKey, ...SigningKey[]];
  // On a busy machine, the server could close an idle connection just when a request comes.
  const sockets = createServer({ keepAliveTimeout: 0 });
  sockets.listen(0, '127.0.0.1');
  await once(sockets, 'listening');
  const { port } = sockets.address() as AddressInfo;
  const issuer = `http://localhost:${port}`;
  const self: IndependentProvider = {
    issuer,
    clientId: 'forgewatch-test',
    clientSecret: 'a secret of the test client alone',
    tokenCalls: [],
    revoked: [],
    tamper: undefined,
    answer: undefined,
    takesBasicLiterally: false,
    tokenDelayMs: 0,
    rotateKey: async () => {
      keys.unshift(await newKey(`independent-${keys.length}`));
    },
    stop: () => closeServer(sockets),
    start: async () => {
      sockets.listen(port, '127.0.0.1');
      await once(sockets, 'listening');
    },
  };
  const provider = new Provider(issuer, configurationOf(self, options, keys[0].jwk));
  const answerByProtocol = provider.callback();
  sockets.on('request', (request, response) => {
    if (request.url === '/jwks') publish(keys, response);
    else void answer(provider, answerByProtocol, self, makeSign(keys[0]), request, response);
  });
  return self;
}

interface SigningKey {
  privateKey: CryptoKey;
  jwk: JWK;
}

async function newKey(kid: string): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } };
}

function publish(keys: readonly SigningKey[], response: ServerResponse): void {
  const published = keys.map(({ jwk: { kty, kid, alg, use, n, e } }) => ({ kty, kid, alg, use, n, e }));
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: published }));
}

async function answer(
  provider: Provider,
  answerByProtocol: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  self: IndependentProvider,
  sign: Sign,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (path.startsWith('/interaction/')) return signInPage(provider, request, response);
  if (path === '/token' || path === '/token/revocation') {
    const form = new URLSearchParams(await text(request));
    // The library takes a body that was read already from here.
    Object.assign(request, { body: Object.fromEntries(form) });
    if (path === '/token/revocation') self.revoked.push(form.get('token') ?? '');
    else {
      self.tokenCalls.push(form.get('grant_type') ?? '');
      if (self.tokenDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, self.tokenDelayMs));
      if (self.answer !== undefined) {
        response.statusCode = self.answer.status;
        response.setHeaders(new Headers({ 'content-type': 'application/json', ...self.answer.headers }));
        response.end(self.answer.body);
        return;
      }
      if (self.takesBasicLiterally && !isKnownLiterally(self, request, form)) {
        const refusal = { error: 'invalid_client', error_description: 'cannot load client' };
        response.statusCode = 400;
        response.setHeader('content-type', 'application/json').end(JSON.stringify(refusal));
        return;
      }
      if (self.tamper !== undefined) tamperWith(response, self.tamper, sign);
    }
  }
  await answerByProtocol(request, response);
}

/** Passes a client on to the library, which knows it by encoded credentials alone. */
function isKnownLiterally(
  { clientId, clientSecret }: IndependentProvider,
  request: IncomingMessage & { body?: Record<string, string> },
  form: URLSearchParams,
): boolean {
  const basic = (id: string, secret: string): string =>
    `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const isInBody = form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
  if (request.headers.authorization !== basic(clientId, clientSecret) && !isInBody) return false;
  request.headers.authorization = basic(encodeURIComponent(clientId), encodeURIComponent(clientSecret));
  form.delete('client_secret');
  request.body = Object.fromEntries(form);
  return true;
}

/** The library answers with one call of `end`. */
function tamperWith(
  response: ServerResponse,
  tamper: NonNullable<IndependentProvider['tamper']>,
  sign: Sign,
): void {
  const end = response.end.bind(response) as (body: string) => ServerResponse;
  response.end = ((body: string | Buffer) => {
    const given = JSON.parse(String(body)) as TokenAnswerBody;
    void tamper(given, sign).then((changed) => {
      const text = JSON.stringify(changed);
      response.setHeader('content-length', Buffer.byteLength(text));
      end(text);
    });
    return response;
  }) as typeof response.end;
}

/** One field and one button: the login is the person. */
async function signInPage(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'POST') {
    const login = new URLSearchParams(await text(request)).get('login') ?? '';
    await provider.interactionFinished(request, response, { login: { accountId: `sub-${login}` } });
    return;
  }
  response
    .setHeader('content-type', 'text/html; charset=utf-8')
    .end(
      '<!doctype html><title>Sign in</title><form method="post"><input name="login"><button>Sign in</button></form>',
    );
}

function makeSign({ privateKey, jwk: { kid = '' } }: SigningKey): Sign {
  return (claims, typ = 'JWT') =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ }).sign(privateKey);
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
