import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../runtime/app-error.ts';
import { BodyPieces } from './body-pieces.ts';

/** Of all requests together: above this, senders are told to come back rather than memory being filled. */
const mostHeldBytes = 256 * 1024 * 1024;

/** Why a body was not read to its end: the handler never sees it. */
export class BodyRefused extends AppError {}

type ReadBody = (
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: Buffer) => void,
) => void;

interface Reading {
  heldBytes: number;
  refuse(): void;
}

/** The bodies that come before anybody has proved anything, counted from their first byte until they are done with. */
export interface RawBodies {
  /** Reads one of at most so many bytes, as a parser of Fastify's. */
  reader(maxBytes: number): ReadBody;
  /** Counts one that was read. Returns what is to be called when it is done with. */
  hold(body: unknown): () => void;
}

export function makeRawBodies(mostBytes = mostHeldBytes): RawBodies {
  const readings = new Set<Reading>();
  let heldBytes = 0;

  /**
   * Large bodies that come slowly, and not the few kilobytes of a webhook. One is enough: it holds no less than what the
   * piece that was one too many added.
   */
  function refuseLargest(): void {
    let largest: Reading | undefined;
    for (const reading of readings) if (reading.heldBytes > (largest?.heldBytes ?? 0)) largest = reading;
    largest?.refuse();
  }

  return {
    reader: (maxBytes) => (request, payload, done) => {
      if (Number(request.headers['content-length']) > maxBytes) return done(tooLarge());
      const pieces = new BodyPieces();
      const reading: Reading = { heldBytes: 0, refuse: () => end(tooMany()) };
      const take = (piece: Buffer): void => {
        pieces.add(piece);
        heldBytes += pieces.heldBytes - reading.heldBytes;
        reading.heldBytes = pieces.heldBytes;
        if (pieces.bytes > maxBytes) end(tooLarge());
        else if (heldBytes > mostBytes) refuseLargest();
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
        // Counted until the handler counts it.
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
      const fail = (cause: Error): void => end(new AppError('invalid_request', { cause }));
      readings.add(reading);
      payload.on('data', take).on('end', end).on('error', fail);
    },
    hold: (body) => {
      const bytes = Buffer.isBuffer(body) ? body.length : 0;
      heldBytes += bytes;
      return () => {
        heldBytes -= bytes;
      };
    },
  };
}

const tooLarge = (): BodyRefused => new BodyRefused('payload_too_large');
const tooMany = (): BodyRefused =>
  new BodyRefused('try_again', { detail: 'Too many bodies at once.', retryAfterSeconds: 5 });
