import fastJsonStringify from 'fast-json-stringify';
import type { TSchema } from 'typebox';

/** Serializes only the fields that the schema names. Compiles the schema at the first response. */
export function compileSerializer(schema: TSchema): (value: unknown) => string {
  let compiled: ((value: unknown) => string) | undefined;
  return (value) => (compiled ??= fastJsonStringify(schema))(value);
}
