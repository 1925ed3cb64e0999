import type { TSchema } from 'typebox';
import type { ExampleOf } from './documented-examples.ts';
import { namesOf } from './shared-schemas.ts';

/** Values from which examples of schemas are made. */
export interface ExampleValues {
  /** By the name of a property, where they fit its schema. */
  byName: Readonly<Record<string, unknown>>;
  /**
   * By the name of an object and then of its property. The name of an object is that of its schema, or of the property that
   * contains it.
   */
  byObject: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Answers that are not JSON, by their media type without parameters. */
  byMediaType: Readonly<Record<string, string>>;
}

interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
  format?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
}

/** Before the name of a text that has no value. `test/e2e/api-reference.test.ts` refuses such texts, because they explain nothing. */
export const noValue = 'text of ';

const uuid = '0f8d8a4c-26a1-4b8e-8f0a-5a2f6ed1c0de';
const time = '2026-11-23T08:00:04.000Z';

/**
 * Returns a function that makes an example of a body. An object has all properties that are required or have a value of their own.
 * A text without a value begins with `noValue`.
 */
export function makeExampleOf(
  { byName, byObject, byMediaType }: ExampleValues,
  named: Readonly<Record<string, TSchema>>,
): ExampleOf {
  const names = namesOf(named);

  const exampleOf = (schema: JsonSchema, name: string, object: string): unknown => {
    const given = [byObject[object]?.[name], byName[name]].find(
      (value) => value !== undefined && fits(schema, value),
    );
    if (given !== undefined) return given;
    if ('const' in schema) return schema.const;
    if (schema.enum !== undefined) return schema.enum[0];
    const choice = schema.anyOf?.find(({ type }) => type !== 'null');
    if (choice !== undefined) return exampleOf(choice, name, object);
    switch (schema.type) {
      case 'object':
        return exampleObject(schema, names.get(JSON.stringify(schema)) ?? name);
      case 'array':
        return [exampleOf(schema.items ?? {}, name, object)];
      case 'boolean':
        return schema.default ?? false;
      case 'integer':
      case 'number':
        return schema.default ?? Math.min(Math.max(3, schema.minimum ?? 3), schema.maximum ?? 3);
      case 'string':
        return exampleText(schema, `${object}.${name}`);
      default:
        return null;
    }
  };

  function exampleObject({ properties = {}, required = [] }: JsonSchema, object: string): object {
    const shown = Object.entries(properties).filter(
      ([name]) => required.includes(name) || byObject[object]?.[name] !== undefined,
    );
    return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, name, object)]));
  }

  return (schema, mediaType) => {
    const [type = ''] = mediaType.split(';');
    return type === 'application/json' ? exampleOf(schema, '', '') : byMediaType[type];
  };
}

/** Whether a value has the type of the schema. Properties of objects are not compared. */
function fits(schema: JsonSchema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((each) => fits(each, value));
  if ('const' in schema) return schema.const === value;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  switch (schema.type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value) && value.every((each) => fits(schema.items ?? {}, each));
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === schema.type;
  }
}

function exampleText({ format }: JsonSchema, name: string): string {
  if (format === 'uuid') return uuid;
  if (format === 'date-time') return time;
  return `${noValue}${name}`;
}
