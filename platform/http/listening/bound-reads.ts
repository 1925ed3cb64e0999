import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientAddress } from '../chain/client-address.ts';
import { siteKey } from '../chain/rate-limiter.ts';
import { isInNetworks } from '../outgoing/public-address.ts';
import { ClientTurns, type Reader } from './client-turns.ts';

/** An import of `node:http` reads all that it exports, and so loads undici too, which nothing here uses. */
const { IncomingMessage: NodeMessage } = process.getBuiltinModule('node:http');

/** Parsed at once. Node parses each read, of up to 64 KiB, without a pause: 11,000 chunks of one byte take 25 ms. */
const sliceBytes = 1024;

/**
 * Pieces of a body: chunks, or packets of a body with a length. Each costs about as much as reading a kilobyte. A program that streams
 * lines as it prints them stays below the rate.
 */
const pieces = { atOnce: 256, perSecond: 100, bytesForEach: 256 };

/** Requests that a client may send in one slice without waiting for an answer. No browser, forge or proxy sends more than one. */
const mostRequestsInSlice = 3;

/** What a client sent costs too much for its size. Without a stack of its own, which costs more than the request. */
const costlyRequest = Object.assign(new Error('The request costs too much.'), { code: 'COSTLY_REQUEST' });

type Refuse = (error: Error & { code: string }, socket: Socket) => void;

const connections = new WeakMap<Socket, BoundedConnection>();

/** A request that refuses a body in absurdly small pieces while they arrive. */
export class BoundedMessage extends NodeMessage {
  /** Whether Node hands the connection over: it reads no further requests. */
  isUpgrade = false;
  #pieces = 0;
  #bytes = 0;
  #beganAt = 0;
  readonly #connection: BoundedConnection | undefined;

  /** Of its body. */
  get bytesArrived(): number {
    return this.#bytes;
  }

  constructor(socket: Socket) {
    super(socket);
    const connection = connections.get(socket);
    this.#connection = connection;
    if (connection === undefined) return;
    connection.begin(this);
  }

  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.#connection?.endBody();
      return super.push(piece);
    }
    this.#bytes += piece.length;
    this.#pieces += 1;
    if (this.#isWithinBounds()) {
      const mayContinue = super.push(piece);
      if (!mayContinue) this.#connection?.fillBody(true);
      return mayContinue;
    }
    this.#connection?.refuse();
    throw costlyRequest;
  }

  override _read(size: number): void {
    this.#connection?.fillBody(false);
    // Node resumes the socket, which a connection that waits does at the end of its turns.
    if (this.#pieces > 0 && this.#connection?.isWaiting === true) return;
    // oxlint-disable-next-line no-underscore-dangle -- the name is that of Node's streams.
    super._read(size);
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

type Handle = (request: IncomingMessage, response: ServerResponse) => void;
type Parse = (bytes: Buffer) => void;

interface ConnectionParts {
  parse: Parse;
  answer: Refuse;
  turns: ClientTurns;
  /** Who sends its requests. A connection of a proxy is a client of its own until a head tells the address. */
  client: unknown;
  clientOf: ClientOf;
}

type ClientOf = (request: IncomingMessage) => unknown;

class BoundedConnection implements Reader {
  isRefused = false;
  /** For a turn of its client. */
  isWaiting = false;
  client: unknown;
  readonly #socket: Socket;
  readonly #parse: Parse;
  readonly #answer: Refuse;
  readonly #turns: ClientTurns;
  readonly #sender: unknown;
  readonly #clientOf: ClientOf;
  #latestClient: unknown;
  #requestsInSlice = 0;
  /** A request whose head was in the latest slice, the last one of several. */
  #begun: BoundedMessage | undefined;
  /** What is left of a body whose head tells its length. */
  #bytesToCome = 0;
  #hasWaited = false;
  /** It reads a slice that it has waited for. */
  #isTurn = false;
  /** Nobody reads the body yet, or more slowly than it arrives. */
  #isBodyFull = false;
  #isHandedOver = false;

  constructor(socket: Socket, { parse, answer, turns, client, clientOf }: ConnectionParts) {
    this.#socket = socket;
    this.#parse = parse;
    this.#answer = answer;
    this.#turns = turns;
    this.client = this.#sender = this.#latestClient = client;
    this.#clientOf = clientOf;
  }

  begin(request: BoundedMessage): void {
    this.#begun = request;
    this.#isBodyFull = true;
    this.#requestsInSlice += 1;
    if (this.#requestsInSlice <= mostRequestsInSlice) return;
    this.refuse();
    throw costlyRequest;
  }

  /** Calls `handle` in a turn of the client that sent the request. */
  handle(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    if (this.isRefused) return;
    this.client = this.#latestClient = this.#clientOf(request);
    const end = this.#turns.request(this.client, { begin: handle, giveUp: () => this.#socket.destroy() });
    if (response.closed) end();
    else response.once('close', end);
  }

  /** Calls `handle` in a turn of the client that sent the handshake, unless the socket is closed before. */
  upgrade(request: IncomingMessage, handle: () => void): void {
    if (this.isRefused) return;
    const socket = this.#socket;
    // Node does not listen any more, and `handle` does not yet.
    socket.on('error', () => socket.destroy());
    this.client = this.#latestClient = this.#clientOf(request);
    const end = (): void => {
      socket.off('close', end);
      leave();
    };
    const begin = (): void => {
      handle();
      setImmediate(end);
    };
    const leave = this.#turns.request(this.client, { begin, giveUp: () => socket.destroy() });
    socket.once('close', end);
  }

  endBody(): void {
    this.client = this.#sender;
    this.fillBody(false);
  }

  fillBody(isFull: boolean): void {
    const wasFull = this.#isBodyFull;
    this.#isBodyFull = isFull;
    // While it waits, `readSlice` looks at it.
    if (wasFull && !isFull && this.#hasWaited && !this.isWaiting && this.#isOpen()) this.#wait();
  }

  readonly read = (bytes: Buffer): void => {
    let at = 0;
    while (at < bytes.length && this.#isOpen()) {
      const isRest = at > 0 && this.#hasAll(bytes.length - at);
      if (!this.#isTurn && !isRest && (this.isWaiting || !this.#turns.isFree))
        return this.#keep(bytes.subarray(at));
      const slice = bytes.subarray(at, at + this.#sliceBytes());
      at += slice.length;
      if (this.#isTurn) this.#parseSlice(slice);
      else this.#turns.spend(() => this.#parseSlice(slice));
    }
    // No client sends frames before the answer to its handshake.
    if (this.#isHandedOver && at < bytes.length) this.#socket.destroy();
  };

  readSlice(): boolean {
    if (this.isRefused) this.#answerRefused();
    if (!this.#isOpen()) return false;
    if (this.#isBodyFull) return (this.isWaiting = false);
    this.#isTurn = true;
    this.#readFromSocket();
    if (this.#hasAll(this.#socket.readableLength) && this.#isOpen()) this.#readFromSocket();
    this.#isTurn = false;
    if (!this.#isOpen()) {
      if (this.#isHandedOver && this.#socket.readableLength > 0) this.#socket.destroy();
      return false;
    }
    if (this.#socket.readableLength > 0 && !this.#isBodyFull) return true;
    this.isWaiting = false;
    if (!this.#isBodyFull) this.#socket.resume();
    return false;
  }

  /** Calls `read`. More at once would raise the high-water mark: the connection would keep more for good. */
  #readFromSocket(): void {
    const { readableLength, readableHighWaterMark } = this.#socket;
    this.#socket.read(Math.min(this.#sliceBytes(), readableLength, readableHighWaterMark));
  }

  /** Whether the rest of a body has arrived. It is read with the head: it costs little, and a turn of its own takes long beside many clients. */
  #hasAll(arrived: number): boolean {
    return this.#bytesToCome > 0 && this.#bytesToCome <= arrived;
  }

  /** Puts bytes back until it is the turn of this connection. */
  #keep(bytes: Buffer): void {
    this.#socket.pause();
    this.#socket.unshift(bytes);
    if (!this.isWaiting) this.#wait();
  }

  #wait(): void {
    this.isWaiting = true;
    this.#turns.wait(this, !this.#hasWaited);
    this.#hasWaited = true;
  }

  #isOpen(): boolean {
    return !this.isRefused && !this.#isHandedOver && !this.#socket.destroyed;
  }

  #sliceBytes(): number {
    return Math.max(sliceBytes, this.#bytesToCome);
  }

  #parseSlice(slice: Buffer): void {
    this.#requestsInSlice = 0;
    try {
      this.#parse(slice);
    } catch (error) {
      // Parsed no further: each request of a flood costs as much again when its connection ends.
      if (error === costlyRequest) return;
      throw error;
    }
    this.#bytesToCome -= slice.length;
    const begun = this.#begun;
    if (begun === undefined) return;
    this.#begun = undefined;
    this.#bytesToCome = Number(begun.headers['content-length'] ?? 0) - begun.bytesArrived;
    if (!begun.isUpgrade) return;
    this.#isHandedOver = true;
    this.#socket.off('data', this.read);
  }

  /** Reads no further, and answers in a turn of the client: who is refused at once comes back at once. */
  refuse(): void {
    if (this.isRefused) return;
    this.isRefused = true;
    this.#socket.off('data', this.read).pause();
    this.client = this.#latestClient;
    this.#wait();
  }

  #answerRefused(): void {
    // An answer that has begun cannot be replaced.
    if (this.#socket.bytesWritten > 0) this.#socket.destroy();
    else this.#answer(costlyRequest, this.#socket);
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }
}

/**
 * Hands what arrives to Node's parser, and requests to their handler, in turns of their clients. Otherwise a client costs as much as it
 * likes, and new connections of others wait for it. `server` must make `BoundedMessage`s and have its handler.
 */
export function boundReads(server: Server, answer: Refuse, trustedProxies: readonly string[]): void {
  const turns = new ClientTurns();
  const isTrusted = isInNetworks(trustedProxies);
  const addressOf = clientAddress(trustedProxies);
  const clientOf: ClientOf = (request) => siteKey(addressOf(request));
  server.on('connection', (socket: Socket) => {
    turns.accepted();
    const [parse, ...others] = socket.listeners('data') as Parse[];
    if (parse === undefined || others.length > 0) throw new Error('Node reads connections in another way.');
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    const client = isTrusted(address) ? socket : siteKey(address);
    if (turns.isFull(client)) return void socket.destroy();
    const connection = new BoundedConnection(socket, { parse, answer, turns, client, clientOf });
    connections.set(socket, connection);
    // In this order, because a socket without a listener stops to read.
    socket.on('data', connection.read);
    socket.off('data', parse);
  });
  const [handle, ...others] = server.listeners('request') as Handle[];
  if (handle === undefined || others.length > 0) throw new Error('Somebody else handles requests.');
  server.off('request', handle);
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    connections.get(request.socket)?.handle(request, response, () => handle(request, response)),
  );
}

type HandleUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Makes a listener of `upgrade` that shares the time for handshakes among clients, as `boundReads` does for requests. */
export const upgradeInTurns =
  (handle: HandleUpgrade): HandleUpgrade =>
  (request, socket, head) =>
    connections.get(request.socket)?.upgrade(request, () => handle(request, socket, head));
