/** Bytes of a body or frame, in a form that is short in a vector: text, a repeated text (`#` becomes the index), or bytes. */
export type Piece = string | { each: string; times: number } | { base64: string };

/** Whose session a request carries. The guest's may end: it is used where sessions begin, go on and end. */
export type Who = 'nobody' | 'viewer' | 'owner' | 'guest';

/** How the length of a body is declared. Only `length` and `chunked` are right. */
export const framings = ['length', 'chunked', 'both', 'twice', 'short', 'long', 'odd', 'none'] as const;
export type Framing = (typeof framings)[number];

/** Signed with the right secret of the integration or the application, or with another one. */
export type Signer = 'integration' | 'application' | 'stranger';

export type Header = [name: string, value: string];

/**
 * One request. `{name}` in the target, headers, cookie and body stands for a value of the world that the case runs in, so that
 * a seed or a vector means the same in every run.
 */
export interface HttpCase {
  who: Who;
  method: string;
  target: string;
  headers: Header[];
  /** Replaces the cookies of the session; `{cookies}` stands for them. */
  cookie?: string | undefined;
  body?: Piece[] | undefined;
  framing?: Framing | undefined;
  signer?: Signer | undefined;
}

/** One WebSocket frame, right or wrong in any of its fields. */
export interface Frame {
  fin: boolean;
  rsv: number;
  opcode: number;
  isMasked: boolean;
  payload: Piece[];
  /** Declares another length than the payload's. */
  declared?: 'longer' | 'huge' | 'negative' | undefined;
}

/** A handshake with a valid token, then frames. */
export interface SocketCase {
  who: 'viewer' | 'owner';
  hasControl: boolean;
  frames: Frame[];
}

type Values = Record<string, string>;

export function bytesOf(pieces: readonly Piece[], values: Values): Buffer {
  return Buffer.concat(
    pieces.map((piece) => {
      if (typeof piece === 'string') return Buffer.from(filled(piece, values));
      if ('base64' in piece) return Buffer.from(piece.base64, 'base64');
      if (!piece.each.includes('#')) return Buffer.from(piece.each.repeat(piece.times));
      return Buffer.from(
        Array.from({ length: piece.times }, (_, index) => piece.each.replaceAll('#', String(index))).join(''),
      );
    }),
  );
}

/** With the names that the world knows replaced; other braces stay. */
export function filled(text: string, values: Values): string {
  return text.replaceAll(/\{([\w.]{1,40})\}/g, (all, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? all) : all,
  );
}
