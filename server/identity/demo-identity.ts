import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Config } from '#platform/runtime/config.ts';
import type { Database } from '#platform/database/database.ts';
import type { Authenticate } from '#platform/http/chain.ts';
import type { Caller } from '#platform/http/route.ts';
import { ensureUser } from './store.ts';

type DemoSettings = Pick<Config, 'host' | 'publicUrl' | 'oidcIssuer'>;

const demoUser = { cognitoId: 'demo', name: 'Demo user' };

/**
 * Whether this deployment is somebody trying the product on their own machine: it listens on loopback alone and calls
 * itself localhost, and no identity provider is set. Behind a proxy or on a network, nobody is signed in by this.
 */
export function isDemoDeployment({ host, publicUrl, oidcIssuer }: DemoSettings): boolean {
  return oidcIssuer === undefined && isLoopbackName(host) && isLoopbackName(new URL(publicUrl).hostname);
}

/** Whoever uses this machine is the demo user, until people sign in through an identity provider. */
export function authenticateDemoUser(db: Database, config: DemoSettings): Authenticate {
  let user: Promise<Caller> | undefined;
  return async (request) => {
    if (!isDemoDeployment(config) || !isFromThisMachine(request)) return undefined;
    user ??= findDemoUser(db);
    user.catch(() => {
      user = undefined;
    });
    return user;
  };
}

/** The demo user's record, made at first use. */
export async function findDemoUser(db: Database): Promise<Caller> {
  const row = await db.withScope('service', (tx) => ensureUser(tx, demoUser));
  return {
    userId: row.user_id,
    username: row.cognito_id,
    email: row.email,
    isEmailVerified: false,
    sessionId: 'demo',
  };
}

/**
 * The peer is loopback, no proxy passed it on, and the name asked for is this machine's: a page of another site that
 * rebinds its own name to 127.0.0.1 still sends its own name.
 */
function isFromThisMachine(request: FastifyRequest): boolean {
  const { headers } = request;
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
  const peer = request.socket.remoteAddress ?? '';
  const host = `http://${headers.host ?? ''}`;
  return isLoopbackAddress(peer) && URL.canParse(host) && isLoopbackName(new URL(host).hostname);
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || isLoopbackAddress(name.replace(/^\[|\]$/g, ''));
}

function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '');
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}
