import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../runtime/app-error.ts';
import { siteKey } from '../chain/rate-limiter.ts';
import { BodyPieces } from './body-pieces.ts';

/** Limit for all requests together. Above it senders get 503 with Retry-After, to protect the memory. */
const maxTotalBytes = 128 * 1024 * 1024;

/** What a request takes beside its body, about. Many small ones must not fill the memory while the database hangs. */
const requestBytes = 32 * 1024;

/**
 * More large bodies than `freely` are read at a rate together, 50 MB a second, because the kernel hands over one new connection in each
 * turn of the event loop: long turns delay all others.
 */
const paced = { freely: 4, fromBytes: 60 * 1024, bytesInTurn: 256 * 1024, turnMs: 5 };

/** A body was refused while it was read. The handler does not run. */
export class BodyRefused extends AppError {}

type ReadBody = (
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: Buffer) => void,
) => void;

interface Reading {
  /** The address of the sender. */
  client: string;
  heldBytes: number;
  refuse(): void;
}

/** Limits the memory of bodies from unauthenticated senders, from their first byte until they are processed. */
export interface RawBodies {
  /** A Fastify body parser that reads up to `maxBytes`. */
  reader(maxBytes: number): ReadBody;
  /** Counts a body that was read, and its request. Call the returned function when it is processed. */
  hold(body: unknown): () => void;
}

export function makeRawBodies(mostBytes = maxTotalBytes): RawBodies {
  const pace = makePacer();
  const readings = new Set<Reading>();
  let heldBytes = 0;

  return {
    reader: (maxBytes) => (request, payload, done) => {
      if (Number(request.headers['content-length']) > maxBytes) return done(tooLarge());
      const pieces = new BodyPieces();
      const client = siteKey(String(request.ip));
      const reading: Reading = { client, heldBytes: 0, refuse: () => end(tooMany()) };
      const take = (piece: Buffer): void => {
        pieces.add(piece);
        heldBytes += pieces.heldBytes - reading.heldBytes;
        reading.heldBytes = pieces.heldBytes;
        if (pieces.bytes > maxBytes) end(tooLarge());
        else if (heldBytes > mostBytes) refuseLargest(readings);
        else if (pieces.bytes > paced.fromBytes && readings.size > paced.freely) pace(payload, piece.length);
      };
      const release = (): void => {
        readings.delete(reading);
        heldBytes -= reading.heldBytes;
      };
      const end = (error?: Error): void => {
        payload.off('data', take).off('end', end).off('error', fail);
        if (error !== undefined) {
          release();
          return done(error);
        }
        // Counted here until the handler calls `hold`.
        const body = pieces.join();
        if (Buffer.isBuffer(body)) {
          release();
          return done(null, body);
        }
        body.then((joined) => {
          release();
          done(null, joined);
        }, done);
      };
      const fail = (cause: Error): void =>
        end(new AppError('invalid_request', { detail: 'The body did not arrive completely.', cause }));
      readings.add(reading);
      payload.on('data', take).on('end', end).on('error', fail);
    },
    hold: (body) => {
      const bytes = requestBytes + (Buffer.isBuffer(body) ? body.length : 0);
      heldBytes += bytes;
      return () => {
        heldBytes -= bytes;
      };
    },
  };
}

/**
 * Refuses the largest body of the client whose bodies hold most, so that slow large uploads block neither ordinary webhooks nor the large
 * ones of others. One is enough: it is at least as large as the last chunk.
 */
function refuseLargest(readings: ReadonlySet<Reading>): void {
  const byClient = new Map<string, number>();
  for (const { client, heldBytes } of readings) byClient.set(client, (byClient.get(client) ?? 0) + heldBytes);
  const most = Math.max(...byClient.values());
  let largest: Reading | undefined;
  for (const reading of readings)
    if (byClient.get(reading.client) === most && reading.heldBytes > (largest?.heldBytes ?? 0))
      largest = reading;
  largest?.refuse();
}

/** Returns a function that is called for each piece of a large body, and pauses the body when its turn is over. */
function makePacer(): (payload: IncomingMessage, bytes: number) => void {
  const waiting: IncomingMessage[] = [];
  let left = paced.bytesInTurn;
  let timer: NodeJS.Timeout | undefined;
  const nextTurn = (): void => {
    left = paced.bytesInTurn;
    // A piece has up to 64 KiB.
    for (const payload of waiting.splice(0, paced.bytesInTurn / 65_536)) payload.resume();
    timer = waiting.length > 0 ? setTimeout(nextTurn, paced.turnMs) : undefined;
  };
  return (payload, bytes) => {
    left -= bytes;
    timer ??= setTimeout(nextTurn, paced.turnMs);
    if (left > 0) return;
    payload.pause();
    waiting.push(payload);
  };
}

const tooLarge = (): BodyRefused =>
  new BodyRefused('payload_too_large', { detail: 'The body is larger than this route accepts.' });
const tooMany = (): BodyRefused =>
  new BodyRefused('try_again', { detail: 'Too many large requests at the same time.', retryAfterSeconds: 5 });
