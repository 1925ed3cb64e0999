import * as fc from 'fast-check';
import { oddText } from './text.ts';

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  format?: string;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

/** Values that the schema is meant for, with a few that lie at its limits. What it does not describe may be anything. */
export function valueOf(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => valueOf(each, name)));
  switch (schema.type) {
    case 'string':
      return textOf(schema, name);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, name), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case 'object':
      return objectOf(schema);
    default:
      return fc.oneof(fc.jsonValue({ maxDepth: 2 }), oddText);
  }
}

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueOf(schema, name)]),
  );
  return fc.record(model, { requiredKeys: required });
}

function numberOf({ minimum = -5, maximum = 5_000 }: Schema): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) }),
  );
}

function textOf(
  { format, pattern, minLength = 0, maxLength = 60 }: Schema,
  name: string,
): fc.Arbitrary<string> {
  if (format === 'uuid')
    return fc.oneof(fc.constant(`{${name}}`), fc.constant(`{foreign.${name}}`), fc.uuid());
  if (format === 'date-time') return timeText;
  if (format === 'email') return fc.emailAddress();
  if (name === 'cursor')
    return fc.oneof(fc.constant('{cursor}'), fc.base64String({ maxLength: 80 }), oddText);
  if (name === 'token') return fc.oneof(fc.constant('{token}'), oddText);
  if (name === 'url')
    return fc.constantFrom('https://chat.example/hook', 'https://127.0.0.1/', 'http://x', 'x:');
  if (pattern?.startsWith('^\\d') || pattern?.includes('[0-9]'))
    return fc.oneof(fc.constant(`{${name}}`), fc.nat().map(String));
  const most = Math.min(maxLength, 80);
  const least = Math.min(minLength, most);
  return fc.oneof(
    fc.constant(`{${name}}`),
    fc.string({ minLength: least, maxLength: most }),
    fc.string({ unit: 'grapheme', minLength: least, maxLength: most }),
    fc.constantFrom('main', 'release/*', '**', 'acme/site', 'failure,success', 'a,b\\,c'),
  );
}

const timeText = fc.oneof(
  fc
    .date({ min: new Date('2025-01-01'), max: new Date('2027-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom('2026-01-01T00:00:00+14:00', '1970-01-01T00:00:00Z', '8999-12-31T23:59:59.999Z'),
);
