import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { LogColour, LogSpan } from '#contract/failures/failure-reason.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { LogKey, StoredPart } from './job-log-store.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
const fastest = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };

/** Masked lines. Texts hold no control characters besides the changes of colour of `inColour`. */
export interface LogPart {
  firstLine: number;
  texts: string[];
  /** To the second, in UTC. Empty when the line has none. */
  times: string[];
}

/** Binds a sealed part, or the outline, to its log. */
export const partContext = ({ integrationId, runId, attempt, jobId }: LogKey, part: number): string =>
  `job_log_parts ${integrationId} ${runId} ${attempt} ${jobId} ${part}`;
export const outlineContext = ({ integrationId, runId, attempt, jobId }: LogKey): string =>
  `job_logs ${integrationId} ${runId} ${attempt} ${jobId}`;

export async function sealPart(
  sealer: Sealer,
  key: LogKey,
  part: number,
  { firstLine, texts, times }: LogPart,
): Promise<StoredPart> {
  const plain = Buffer.from(`${times.join('\n')}\0${texts.join('\n')}`);
  const sealed = sealer.seal(await compress(plain, fastest), partContext(key, part));
  return { part, firstLine, lines: texts.length, sealed };
}

/** The times and the texts of a part, each with a line feed between lines. */
export async function openPart(
  sealer: Sealer,
  key: LogKey,
  { part, sealed }: StoredPart,
): Promise<{ times: string; texts: string }> {
  const plain = (await decompress(sealer.open(sealed, partContext(key, part)))).toString();
  const end = plain.indexOf('\0');
  return { times: plain.slice(0, end), texts: plain.slice(end + 1) };
}

const codes: Record<LogColour, string> = {
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
  grey: '90',
};

/** Spans as text with escape sequences (ECMA-48, 8.3.117), of which `spansOf` makes the same spans. */
export function inColour(spans: readonly LogSpan[]): string {
  return spans
    .map(({ text, colour, bold }) => {
      const set = [...(bold ? ['1'] : []), ...(colour === undefined ? [] : [codes[colour]])];
      return set.length === 0 ? text : `\u001b[${set.join(';')}m${text}\u001b[m`;
    })
    .join('');
}
