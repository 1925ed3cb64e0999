import { Type, type TProperties, type TSchema } from 'typebox';
import { hiddenCharacters } from './plain-text.ts';

/** Building blocks of the schemas: JSON Schema for validation, serialization and documentation. */

export const Uuid = Type.String({ format: 'uuid' });

/** ISO 8601 in UTC with milliseconds. */
export const Time = Type.String({ format: 'date-time' });

/** A time in a request: any time zone, years 1970 to 8999. */
export const TimeInput = Type.String({
  format: 'date-time',
  pattern: '^(19[7-9]|[2-8][0-9]{2})[0-9]-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-5][0-9]',
});

/** One line with visible text and without invisible or direction-changing characters. */
export function oneLine(maxLength: number) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: `^(?=.*\\S)[^${hiddenCharacters}]{1,${maxLength}}$`,
  });
}

/** Error message for a text that does not match the pattern. Undefined for patterns without special characters. */
export function patternProblem(pattern: string): string | undefined {
  if (!pattern.includes(hiddenCharacters)) return undefined;
  const [, length] = /\{1,(\d+)\}\$$/.exec(pattern) ?? [];
  const what =
    length === undefined ? 'must be an e-mail address' : `must be one line of 1 to ${length} characters`;
  return `${what}, without invisible characters and those that change the direction of text`;
}

/** An e-mail address. Quoted local parts are refused, because some mail servers read another address in them. */
export const EmailAddress = Type.String({
  format: 'email',
  maxLength: 254,
  pattern: `^[^"\\s<>()\\[\\]\\\\,;:${hiddenCharacters}]+$`,
});

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** An object that may have no other properties. */
export function strictObject<T extends TProperties>(properties: T) {
  return Type.Object(properties, { additionalProperties: false });
}

/** A page of a list. `nextCursor` is null on the last page. */
export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), nextCursor: nullable(Type.String()) });
}

/** Query parameters of all lists. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
};
