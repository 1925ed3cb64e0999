import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from '#contract/base/errors.ts';
import type { ActingToken, Actor } from '../database/acting-user.ts';
import type { RateLimit } from './chain/rate-limit.ts';

/** Who sent a request: a signed-in person or an API token. Set by `authenticate`. */
export interface Caller extends Actor {
  /**
   * Stays the same when the session is refreshed. Sockets and tokens that end with the session refer to it. An API token
   * counts as a session of its own.
   */
  sessionId: string;
  /** Undefined for a session. */
  token?: ApiToken;
}

interface ApiToken extends ActingToken {
  /** What it may be used for. */
  scopes: readonly string[];
  expiresAt: Date;
  owner: 'person' | 'integration';
}

/** The caller of a route that takes no API token. */
export interface Person extends Caller {
  username: string;
  email: string | null;
  /** Whether the identity provider verified the address. An unverified address grants nothing. */
  isEmailVerified: boolean;
}

/** Input of a handler: validated values, and the raw request for the few handlers that need it. */
interface RouteInput<Params = unknown, Query = unknown, Body = unknown, Who = Caller | undefined> {
  /** Undefined on a route that needs no caller. */
  caller: Who;
  params: Params;
  query: Query;
  body: Body;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** One row of a module's route table. A row without `access` does not compile. */
export interface Route<Access> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  access: Access;
  summary: string;
  params?: TObject;
  query?: TObject;
  body?: TObject;
  /** Passes the body as received bytes, up to this many, with any media type. */
  rawBodyMaxBytes?: number;
  /**
   * Answers 503 when the handler needs longer. The handler continues: its work may still be done, and its body counts as held
   * until then.
   */
  answerWithinMs?: number;
  /** Called when a body is refused before the handler: too large (`payload_too_large`) or too many at once (`try_again`). */
  onBodyRefused?(request: FastifyRequest, code: ErrorCode): void;
  /** Page that a browser is redirected to when the route or one of its limits refuses. */
  failurePage?(code: ErrorCode): string;
  /** All limits count each request. The first one reached answers 429. */
  rateLimits?: readonly RateLimit[];
  /** Counts only requests refused with 401, so that valid clients are not limited by others at the same address. */
  refusalLimit?: RateLimit;
  /** The response contains a token or secret. */
  isConfidential?: true;
  /**
   * Also accepts an API token as the password of HTTP Basic authentication, for programs that know nothing else. Only for
   * GET: browsers send such a password along with requests from other sites.
   */
  takesBasic?: true;
  /** Answers with an `ETag`, and with 304 to a request that names it. Always so for a GET that takes API tokens. */
  isPolled?: true;
  /** A POST that changes nothing itself. API tokens that may only read can use it. */
  isReading?: true;
  /** Codes that the handler throws itself. Those of the chain follow from the other columns. */
  errors?: readonly ErrorCode[];
  /** Statuses of errors in the format of OAuth (RFC 6749, section 5.2), which the handler answers itself. */
  oauthErrors?: readonly number[];
  /** Status and schema of the success response. Default: 200 with any JSON. */
  answer?: {
    status?: number;
    schema?: TSchema;
    contentType?: string;
    /** Status of a redirect that the handler sends instead of the answer. */
    redirect?: 303;
    /** The handler may also accept a request without an answer. */
    accepts?: true;
  };
  handle(input: RouteInput): Promise<unknown>;
}

/** The meaning of the `access` column. */
export interface AccessRules<Access> {
  /** Throws to refuse a caller. Undefined when the route needs no check beyond the chain. */
  guard(access: Access): ((request: FastifyRequest) => Promise<void>) | undefined;
  /** One sentence for the API reference. */
  describe(access: Access): string;
  /** What identifies the caller of the route. Empty for a route that needs no caller. */
  credentials(access: Access): readonly ('session' | 'token')[];
  /** Codes of the check of an access, for the API reference. */
  errors?(access: Access): readonly ErrorCode[];
  /** Counts requests to all routes with a caller together. */
  callerLimit?: RateLimit;
}

/** A row without its method and path, whose handler knows the types of its input. */
export interface TypedRow<
  Access,
  P extends TObject,
  Q extends TObject,
  B extends TObject,
  Who = Caller | undefined,
  More = unknown,
> extends Omit<Route<Access>, 'method' | 'path' | 'params' | 'query' | 'body' | 'handle'> {
  params?: P;
  query?: Q;
  body?: B;
  handle(input: RouteInput<Static<P>, Static<Q>, Static<B>, Who> & More): Promise<unknown>;
}

export type TypedRoute<Access, P extends TObject, Q extends TObject, B extends TObject> = Pick<
  Route<Access>,
  'method' | 'path'
> &
  TypedRow<Access, P, Q, B>;

/** Infers the types of the handler's input from the schemas of the row. */
export function route<Access, P extends TObject, Q extends TObject, B extends TObject>(
  row: TypedRoute<Access, P, Q, B>,
): Route<Access> {
  return row as unknown as Route<Access>;
}
