import {
  GuardedFetchError,
  type GuardedAnswer,
  type GuardedFetch,
} from '#platform/http/outgoing/guarded-fetch.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';
import { turnSignal } from './budget/turn.ts';
import { errorOfAnswer, ForgeError } from './errors.ts';
import type { LogExtent } from './port.ts';

/** Only the end of a longer log is read. */
export const maxLogBytes = 20 * 1024 * 1024;
/** One byte more: the reader keeps the end of what is too long, and then knows that the beginning is missing. */
const maxPartBytes = maxLogBytes + 1;
/** Of a server that cannot send a part, more is not read to reach the end. */
const maxReadBytes = 256 * 1024 * 1024;
const maxRedirects = 5;
/** For the whole log, so that a server that sends slowly does not occupy the connection. */
const totalMs = 2 * minuteMs;
/** A forge that hangs keeps one of the few tasks that read logs. */
const silentMs = 20_000;
/** Slower than any forge that works. What arrived is used. */
const leastBytesPerSecond = 16 * 1024;
const maxMessageBytes = 2048;

/** Reads a log or an artifact; redirects are followed through the guard, without the credential when they lead to another server. */
export async function* readLog(
  guardedFetch: GuardedFetch,
  url: string,
  authorization: string,
  extent: LogExtent = 'end',
): AsyncGenerator<Uint8Array> {
  try {
    const { answer, open } = await follow(guardedFetch, url, authorization);
    yield* extent === 'end' ? lastBytes(answer, open) : answer.body;
  } catch (error) {
    throw error instanceof GuardedFetchError ? new ForgeError(500, error.message, error) : error;
  }
}

type Open = (headers?: Record<string, string>) => Promise<GuardedAnswer>;

async function follow(
  guardedFetch: GuardedFetch,
  first: string,
  authorization: string,
): Promise<{ answer: GuardedAnswer; open: Open }> {
  let url = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const at = url;
    const credential: Record<string, string> =
      new URL(at).origin === new URL(first).origin ? { authorization } : {};
    const signal = turnSignal();
    const open: Open = (headers = {}) =>
      guardedFetch.request(at, {
        method: 'GET',
        headers: { 'user-agent': 'forgewatch', 'accept-encoding': 'identity', ...credential, ...headers },
        totalMs,
        silentMs,
        leastBytesPerSecond,
        ...(signal === undefined ? {} : { signal }),
      });
    const answer = await open();
    const { status, headers } = answer;
    if (status === 200) return { answer, open };
    if (status < 300 || status >= 400) throw errorOfAnswer(status, headers, await readMessage(answer));
    await answer.close();
    const { location } = headers;
    if (typeof location !== 'string' || !URL.canParse(location, at))
      throw new ForgeError(502, 'The redirect has no valid address.');
    url = new URL(location, at).href;
  }
  throw new ForgeError(502, 'There are too many redirects.');
}

/** Asks for the end of a log that is too long; skips to it when the server sends everything. */
async function* lastBytes(whole: GuardedAnswer, open: Open): AsyncGenerator<Uint8Array> {
  const length = Number(whole.headers['content-length'] ?? 0);
  if (!(length > maxLogBytes)) return yield* atMost(maxReadBytes, whole.body);
  await whole.close();
  const start = length - maxPartBytes;
  const part = await open({ range: `bytes=${start}-${length - 1}` });
  if (part.status === 206) return yield* atMost(maxPartBytes, part.body);
  if (part.status !== 200) throw errorOfAnswer(part.status, part.headers, await readMessage(part));
  if (length > maxReadBytes) {
    await part.close();
    throw new ForgeError(413, 'The log is too long, and the server cannot send its end.');
  }
  let skipped = 0;
  for await (const chunk of atMost(maxReadBytes, part.body)) {
    const rest = chunk.subarray(Math.min(chunk.length, start - skipped));
    skipped += chunk.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}

async function* atMost(limit: number, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit) throw new ForgeError(413, 'The log is longer than the server said.');
    yield chunk;
  }
}

/** The forge's words: the `message` of a JSON answer. */
async function readMessage(answer: GuardedAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxMessageBytes) break;
    }
    const { message } = JSON.parse(Buffer.concat(chunks).toString()) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // Storage servers answer with XML. The status counts also when the rest breaks.
  }
  return `The server answered ${answer.status}.`;
}
