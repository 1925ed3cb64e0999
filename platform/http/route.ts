import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from '#contract/errors.ts';
import type { RateLimit } from './chain/rate-limit.ts';

/** The person a request acts for, as `authenticate` found them (specification 2.1). */
export interface Caller {
  userId: string;
  username: string;
  email: string | null;
  /** Whether the identity provider vouches for the address: only then may it prove anything. */
  isEmailVerified: boolean;
  /** Stays the same while the session is refreshed; what ends with it (sockets, tokens) is found by it. */
  sessionId: string;
}

/** What a handler is given: validated input, and the raw request for the few that need more. */
interface RouteInput<Params = unknown, Query = unknown, Body = unknown, Who = Caller | undefined> {
  /** Undefined on a route that needs no session. */
  caller: Who;
  params: Params;
  query: Query;
  body: Body;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** One row of a domain's route table. A row without `access` does not compile. */
export interface Route<Access> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  access: Access;
  summary: string;
  params?: TObject;
  query?: TObject;
  body?: TObject;
  /** `body` arrives as the received bytes, at most this many, whatever its media type. */
  rawBodyMaxBytes?: number;
  /** Called for a body that the handler never sees: beyond that (`payload_too_large`), or one too many (`try_again`). */
  onBodyRefused?(request: FastifyRequest, code: ErrorCode): void;
  /** Where a browser is sent when the route, or a limit of it, refuses: a person reads no problem document. */
  failurePage?(code: ErrorCode): string;
  /** Each of them is counted; whichever is reached first answers 429. */
  rateLimits?: readonly RateLimit[];
  /** Counts only what the route refused with 401: who proves themselves is never held up by others at their address. */
  refusalLimit?: RateLimit;
  /** The answer holds a token or a secret. */
  isConfidential?: true;
  /** Status and schema of the success answer; 200 with any JSON when left out. */
  answer?: { status?: number; schema?: TSchema; contentType?: string };
  handle(input: RouteInput): Promise<unknown>;
}

export interface TypedRoute<
  Access,
  P extends TObject,
  Q extends TObject,
  B extends TObject,
  Who = Caller | undefined,
> extends Omit<Route<Access>, 'params' | 'query' | 'body' | 'handle'> {
  params?: P;
  query?: Q;
  body?: B;
  handle(input: RouteInput<Static<P>, Static<Q>, Static<B>, Who>): Promise<unknown>;
}

/** Types the handler's input from the row's own schemas. */
export function route<Access, P extends TObject, Q extends TObject, B extends TObject>(
  row: TypedRoute<Access, P, Q, B>,
): Route<Access> {
  return row as unknown as Route<Access>;
}
