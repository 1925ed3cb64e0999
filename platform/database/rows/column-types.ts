import { types } from 'pg';
import { showTime, storedTimeMs } from '../../runtime/times.ts';

/** How a column's values are stored, and shown by the API. Null is handled before. */
export interface ColumnType<Value, Shown = Value> {
  pgType: string;
  /** Encodes an element of an array parameter; a list as Postgres's array text. Default: the value itself. */
  encode?(value: NonNullable<Value>): unknown;
  /** Decodes Postgres's text format. Default: the text itself. */
  decode?(text: string): Value;
  /** The form in the API. Default: the value itself. */
  show?(value: NonNullable<Value>): Shown;
}

const textArrayOid = 1009;

export const uuid: ColumnType<string> = { pgType: 'uuid' };
export const text: ColumnType<string> = { pgType: 'text' };
export const bigint: ColumnType<number> = { pgType: 'bigint', decode: Number };
export const integer: ColumnType<number> = { pgType: 'integer', decode: Number };
export const boolean: ColumnType<boolean> = { pgType: 'boolean', decode: (value) => value === 't' };
export const bytea: ColumnType<Buffer> = {
  pgType: 'bytea',
  decode: (value) => Buffer.from(value.slice(2), 'hex'),
};
/** Milliseconds since the epoch. In the API an ISO 8601 text. */
export const timestamptz: ColumnType<number, string> = {
  pgType: 'timestamptz',
  encode: showTime,
  decode: storedTimeMs,
  show: showTime,
};
export const texts: ColumnType<string[]> = {
  pgType: 'text[]',
  encode: encodeTexts,
  decode: types.getTypeParser(textArrayOid as never),
};
export const bigints: ColumnType<number[]> = {
  pgType: 'bigint[]',
  encode: encodeNumbers,
  decode: decodeNumbers,
};

export function json<Value>(): ColumnType<Value> {
  return { pgType: 'json', encode: JSON.stringify, decode: JSON.parse };
}

export function nullable<Value, Shown>(
  type: ColumnType<Value, Shown>,
): ColumnType<Value | null, Shown | null> {
  return type as ColumnType<Value | null, Shown | null>;
}

function encodeTexts(list: readonly string[]): string {
  return `{${list.map((each) => `"${each.replaceAll(/[\\"]/g, String.raw`\$&`)}"`).join(',')}}`;
}

function encodeNumbers(list: readonly number[]): string {
  return `{${list.join(',')}}`;
}

function decodeNumbers(list: string): number[] {
  return list === '{}' ? [] : list.slice(1, -1).split(',').map(Number);
}
