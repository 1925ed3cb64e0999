import fastJsonStringify from 'fast-json-stringify';
import type { TSchema } from 'typebox';

/** Writes an answer with what its schema names and nothing else. The schema is compiled by the first answer. */
export function compileSerializer(schema: TSchema): (value: unknown) => string {
  let compiled: ((value: unknown) => string) | undefined;
  return (value) => (compiled ??= fastJsonStringify(schema))(value);
}
