import { Type, type TSchema } from 'typebox';
import { hiddenCharacters } from './plain-text.ts';

/** Building blocks of the schemas in this folder: plain JSON Schema that validates, serialises and documents. */

export const Uuid = Type.String({ format: 'uuid' });

/** ISO 8601 in UTC with milliseconds. */
export const Time = Type.String({ format: 'date-time' });

/** A time that is asked for: with any zone, and one that clocks and databases know. */
export const TimeInput = Type.String({
  format: 'date-time',
  pattern: '^(19[7-9]|[2-8][0-9]{2})[0-9]-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-5][0-9]',
});

/** One line of text that shows something, and nothing that hides or turns the direction of text. */
export function oneLine(maxLength: number) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: `^(?=.*\\S)[^${hiddenCharacters}]{1,${maxLength}}$`,
  });
}

/** What is wrong with a text that does not match, in words; undefined for patterns that say it better themselves. */
export function patternProblem(pattern: string): string | undefined {
  if (!pattern.includes(hiddenCharacters)) return undefined;
  const [, length] = /\{1,(\d+)\}\$$/.exec(pattern) ?? [];
  const what =
    length === undefined ? 'must be an e-mail address' : `must be one line of 1 to ${length} characters`;
  return `${what}, without invisible characters and those that change the direction of text`;
}

/** Where mails go. Without quotes: what is in them reads as another address to some mail servers. */
export const EmailAddress = Type.String({
  format: 'email',
  maxLength: 254,
  pattern: `^[^"\\s<>()\\[\\]\\\\,;:${hiddenCharacters}]+$`,
});

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** A page of a list; `nextCursor` is null at the end (http-api.md). */
export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), nextCursor: nullable(Type.String()) });
}

/** Query of every list. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
};
