import { types } from 'pg';
import type { JobStep } from '#contract/monitoring.ts';
import { storedTimeMs } from '../runtime/times.ts';

/** Counts by histogram bucket. */
type Counts = ReadonlyMap<number, number>;

/** Encodes and decodes one column type. Null is handled before. */
interface ColumnCodec {
  pgType: string;
  /** Encodes a parameter. A Buffer is sent in Postgres's binary format. Default: the value itself. */
  encode?: (value: never) => unknown;
  /** Decodes Postgres's text format. Default: the text itself. */
  decode?: (text: string) => unknown;
}

const textArrayOid = 1009;

const columnTypes = {
  uuid: { pgType: 'uuid' },
  text: { pgType: 'text' },
  bigint: { pgType: 'bigint', decode: Number },
  integer: { pgType: 'integer', decode: Number },
  boolean: { pgType: 'boolean', decode: (text) => text === 't' },
  bytea: { pgType: 'bytea', decode: (text) => Buffer.from(text.slice(2), 'hex') },
  timestamptz: { pgType: 'timestamptz', encode: encodeTime, decode: storedTimeMs },
  json: { pgType: 'json', encode: JSON.stringify, decode: JSON.parse },
  steps: { pgType: 'json', encode: encodeSteps, decode: decodeSteps },
  'text[]': { pgType: 'text[]', decode: types.getTypeParser(textArrayOid as never) },
  'bigint[]': { pgType: 'bigint[]', decode: decodeNumbers },
  histogram: { pgType: 'integer[]', encode: encodeHistogram },
} satisfies Record<string, ColumnCodec>;

export type ColumnType = keyof typeof columnTypes;

export function codecOf(type: ColumnType): ColumnCodec {
  return columnTypes[type];
}

const year2000Ms = 946_684_800_000;
const word = 2 ** 32;

/** Postgres's binary timestamp: microseconds since 2000 in 8 bytes. An ISO text costs many times more on both sides. */
function encodeTime(ms: number): Buffer {
  const micros = (ms - year2000Ms) * 1000;
  const high = Math.floor(micros / word);
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeInt32BE(high, 0);
  bytes.writeUInt32BE(micros - high * word, 4);
  return bytes;
}

function decodeNumbers(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}

type StepTuple = [number, string, string, string | null, string | null, string | null];

function encodeSteps(steps: JobStep[]): string {
  return JSON.stringify(
    steps.map(({ number, name, status, conclusion, startedAt, completedAt }): StepTuple => [
      number,
      name,
      status,
      conclusion,
      startedAt,
      completedAt,
    ]),
  );
}

function decodeSteps(text: string): JobStep[] {
  if (text === '[]') return [];
  return (JSON.parse(text) as StepTuple[]).map(
    ([number, name, status, conclusion, startedAt, completedAt]) => ({
      number,
      name,
      status,
      conclusion,
      startedAt,
      completedAt,
    }),
  );
}

/** A Postgres array whose indexes are the buckets in use: `[37:39]={1,0,2}`. */
function encodeHistogram(counts: Counts): string {
  if (counts.size === 0) return '{}';
  const buckets = [...counts.keys()];
  const [first, last] = [Math.min(...buckets), Math.max(...buckets)];
  const all = Array.from({ length: last - first + 1 }, (_, index) => counts.get(first + index) ?? 0);
  return `[${first}:${last}]={${all.join(',')}}`;
}
