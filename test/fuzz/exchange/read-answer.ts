import { gunzipSync } from 'node:zlib';

export interface Answer {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

/** The first answer in the bytes that came; undefined while it is not complete. */
export function readAnswer(bytes: Buffer, method: string, isEnded: boolean): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
  const rest = bytes.subarray(end + 4);
  if (status === 100) return readAnswer(rest, method, isEnded);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const body = bodyOf(rest, new Map(headers), method, status, isEnded);
  return body === undefined ? undefined : { status, headers, body: body.toString() };
}

function bodyOf(
  rest: Buffer,
  headers: ReadonlyMap<string, string>,
  method: string,
  status: number,
  isEnded: boolean,
): Buffer | undefined {
  if (method === 'HEAD' || status === 204 || status === 304) return Buffer.alloc(0);
  const raw =
    headers.get('transfer-encoding') === 'chunked' ? unchunked(rest) : unframed(rest, headers, isEnded);
  return raw !== undefined && headers.get('content-encoding') === 'gzip' ? gunzipSync(raw) : raw;
}

function unframed(rest: Buffer, headers: ReadonlyMap<string, string>, isEnded: boolean): Buffer | undefined {
  const length = headers.get('content-length');
  if (length === undefined) return isEnded ? rest : undefined;
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined;
}

function unchunked(rest: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const end = rest.indexOf('\r\n', at);
    if (end === -1) return undefined;
    const size = Number.parseInt(rest.toString('latin1', at, end), 16);
    if (size === 0) return Buffer.concat(pieces);
    if (rest.length < end + 2 + size) return undefined;
    pieces.push(rest.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
