import { IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';

/** Parsed at once. Node parses each read, of up to 64 KiB, without a pause: 11,000 chunks of one byte take 25 ms. */
const sliceBytes = 1024;

/**
 * Pieces of a body: chunks, or packets of a body with a length. Each costs about as much as reading a kilobyte. A program that streams
 * lines as it prints them stays below the rate.
 */
const pieces = { atOnce: 256, perSecond: 100, bytesForEach: 128 };

/** Requests that a client may send in one read without waiting for an answer. No browser, forge or proxy sends more than one. */
const mostRequestsInRead = 8;

/** What a client sent costs too much for its size. */
class CostlyRequest extends Error {
  readonly code = 'COSTLY_REQUEST';
}

type Refuse = (error: CostlyRequest, socket: Socket) => void;

const connections = new WeakMap<Socket, BoundedConnection>();

/** A request that refuses a body in absurdly small pieces while they arrive. */
export class BoundedMessage extends IncomingMessage {
  /** Whether Node hands the connection over: it reads no further requests. */
  isUpgrade = false;
  #pieces = 0;
  #bytes = 0;
  #beganAt = 0;
  readonly #connection: BoundedConnection | undefined;

  constructor(socket: Socket) {
    super(socket);
    const connection = connections.get(socket);
    this.#connection = connection;
    if (connection === undefined) return;
    connection.begin(this);
  }

  override push(piece: Buffer | null): boolean {
    if (piece === null) return super.push(piece);
    if (this.#connection?.isRefused === true) return false;
    this.#bytes += piece.length;
    this.#pieces += 1;
    if (this.#isWithinBounds()) return super.push(piece);
    this.#connection?.refuse();
    return false;
  }

  #isWithinBounds(): boolean {
    const count = this.#pieces;
    if (count === 1) this.#beganAt = performance.now();
    const allowed = pieces.atOnce + this.#bytes / pieces.bytesForEach;
    return (
      count <= allowed || count <= allowed + ((performance.now() - this.#beganAt) / 1000) * pieces.perSecond
    );
  }
}

type Parse = (bytes: Buffer) => void;

class BoundedConnection {
  isRefused = false;
  readonly #socket: Socket;
  readonly #parse: Parse;
  readonly #answer: Refuse;
  #requestsInRead = 0;
  /** A request whose head was in the latest slice, the last one of several. */
  #begun: BoundedMessage | undefined;
  /** Of a body whose head tells its length. Never more than are left. */
  #bytesToCome = 0;

  constructor(socket: Socket, parse: Parse, answer: Refuse) {
    this.#socket = socket;
    this.#parse = parse;
    this.#answer = answer;
  }

  begin(request: BoundedMessage): void {
    this.#begun = request;
    this.#requestsInRead += 1;
    if (this.#requestsInRead > mostRequestsInRead) this.refuse();
  }

  readonly read = (bytes: Buffer): void => {
    this.#requestsInRead = 0;
    for (let at = 0; at < bytes.length && !this.isRefused && !this.#socket.destroyed;) {
      const slice = bytes.subarray(at, at + Math.max(sliceBytes, this.#bytesToCome));
      at += slice.length;
      this.#parse(slice);
      this.#bytesToCome -= slice.length;
      const begun = this.#begun;
      if (begun === undefined) continue;
      this.#begun = undefined;
      this.#bytesToCome = Number(begun.headers['content-length'] ?? 0) - slice.length;
      if (!begun.isUpgrade) continue;
      this.#socket.off('data', this.read);
      // No client sends frames before the answer to its handshake.
      if (at < bytes.length) this.#socket.destroy();
      return;
    }
  };

  refuse(): void {
    if (this.isRefused) return;
    this.isRefused = true;
    this.#socket.off('data', this.read);
    // An answer that has begun cannot be replaced.
    if (this.#socket.bytesWritten > 0) this.#socket.destroy();
    else this.#answer(new CostlyRequest('The request costs too much.'), this.#socket);
  }
}

/**
 * Hands what arrives to Node's parser in slices, and stops at once when a request is refused. Otherwise the rest of a read costs as much as
 * before, and new connections wait for it. `server` must make `BoundedMessage`s.
 */
export function boundReads(server: Server, answer: Refuse): void {
  server.on('connection', (socket: Socket) => {
    const [parse, ...others] = socket.listeners('data') as Parse[];
    if (parse === undefined || others.length > 0) throw new Error('Node reads connections in another way.');
    const connection = new BoundedConnection(socket, parse, answer);
    connections.set(socket, connection);
    // In this order, because a socket without a listener stops to read.
    socket.on('data', connection.read);
    socket.off('data', parse);
  });
}
