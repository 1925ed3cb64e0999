import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  mostMatches,
  type JobLogLine,
  type JobLogLines,
  type JobLogMatches,
} from '#contract/failures/job-log.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import { plainText } from '#server/failures/log/stream/plain-text.ts';
import { spansOf } from '#server/failures/log/stream/spans.ts';
import { findLog, listParts, type LogKey, type StoredPart } from './job-log-store.ts';
import { openPart } from './log-parts.ts';
import type { OpenedLog } from './open-log.ts';

type Deps = Pick<SharedDeps, 'db' | 'sealer'>;

/** Characters of a line that a page shows. */
const lineCharacters = 5_000;
/** Parts in memory, about 2 MiB. */
const partsAtOnce = 8;

/** Lines of a log as far as it is stored. */
export async function readLines(
  deps: Deps,
  { key, row }: OpenedLog,
  from: number,
  limit: number,
): Promise<JobLogLines> {
  const lines: JobLogLine[] = [];
  const breaks = makeBreaks();
  for await (const part of partsFrom(deps, key, from, from + limit - 1)) {
    const { times, texts } = await openPart(deps.sealer, key, part);
    const timeOf = times.split('\n');
    const textOf = texts.split('\n');
    for (
      let index = Math.max(0, from - part.firstLine);
      index < textOf.length && lines.length < limit;
      index++
    ) {
      lines.push(lineOf(textOf[index] ?? '', timeOf[index] ?? ''));
      if (index % 16 === 0) await breaks();
    }
  }
  return { from, lines, total: row.lines };
}

function lineOf(stored: string, time: string): JobLogLine {
  const spans = spansOf(stored, [], lineCharacters);
  const isPlain = spans.every(({ colour, bold }) => colour === undefined && bold === undefined);
  return {
    text: spans.map(({ text }) => text).join(''),
    ...(isPlain ? {} : { spans }),
    ...(time === '' ? {} : { time: `${time}Z` }),
  };
}

/** The lines that contain a text, in any case. */
export async function searchLines(deps: Deps, { key, row }: OpenedLog, q: string): Promise<JobLogMatches> {
  const wanted = q.toLowerCase();
  const lines: number[] = [];
  const breaks = makeBreaks();
  for await (const part of partsFrom(deps, key, 1)) {
    const { texts } = await openPart(deps.sealer, key, part);
    const plain = (texts.includes('\u001b') ? plainText(texts) : texts).toLowerCase();
    let line = part.firstLine;
    let from = 0;
    for (let at = plain.indexOf(wanted); at >= 0; at = plain.indexOf(wanted, from)) {
      if (lines.length >= mostMatches) return { lines, isCut: true, searched: line };
      line += newlinesIn(plain, from, at);
      lines.push(line);
      const end = plain.indexOf('\n', at);
      if (end < 0) break;
      from = end + 1;
      line += 1;
    }
    await breaks();
  }
  return { lines, isCut: false, searched: row.lines };
}

function newlinesIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

const waitMs = 200;

/** The text of a log as it is read from the forge, to its end or to the last line of a job that runs. */
export function logText(deps: Deps, { key }: OpenedLog, from: number, inColours: boolean): Readable {
  return Readable.from(textsOf(deps, key, from, inColours), { objectMode: false, highWaterMark: 64 * 1024 });
}

async function* textsOf(deps: Deps, key: LogKey, first: number, inColours: boolean): AsyncGenerator<string> {
  let from = first;
  for (;;) {
    const row = await deps.db.withScope({ integrationId: key.integrationId }, (tx) => findLog(tx, key));
    if (row === undefined) throw new Error('the log was deleted meanwhile');
    const until = row.lines;
    for await (const part of partsFrom(deps, key, from, until)) {
      const { texts } = await openPart(deps.sealer, key, part);
      const shown = inColours ? texts : plainText(texts);
      yield part.firstLine >= from
        ? `${shown}\n`
        : `${shown
            .split('\n')
            .slice(from - part.firstLine)
            .join('\n')}\n`;
      from = part.firstLine + part.lines;
    }
    if (!row.isLeased || row.state === 'live') return;
    await delay(waitMs);
  }
}

async function* partsFrom(deps: Deps, key: LogKey, first: number, last?: number): AsyncGenerator<StoredPart> {
  const { integrationId } = key;
  let from = first;
  for (;;) {
    const parts = await deps.db.withScope({ integrationId }, (tx) =>
      listParts(tx, key, from, partsAtOnce, last),
    );
    for (const part of parts) {
      yield part;
      from = part.firstLine + part.lines;
    }
    if (parts.length < partsAtOnce) return;
  }
}
