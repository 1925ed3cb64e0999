import type { TSchema } from 'typebox';

/** The names of schemas, by their text in OpenAPI. */
export function namesOf(named: Readonly<Record<string, TSchema>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(named).map(([name, schema]) => [JSON.stringify(schema, asOpenApi), name]));
}

/** What the library makes of the `patternProperties` of a record. */
function asOpenApi(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('patternProperties' in value)) return value;
  const { patternProperties, ...rest } = value;
  return { ...rest, additionalProperties: Object.values(patternProperties as object)[0] };
}

/**
 * Replaces each schema that has a name by a reference to it: the document stays small, and generated clients get one type for each
 * object. Returns the parts with references, and the named schemas.
 */
export function shareSchemas<Part>(
  part: Part,
  named: Readonly<Record<string, TSchema>>,
): { part: Part; schemas: Record<string, unknown> } {
  const names = namesOf(named);
  const schemas: Record<string, unknown> = {};
  const refer = (value: unknown): unknown => {
    // Only schemas have names, and they are objects with a type.
    const name = isSchema(value) ? names.get(JSON.stringify(value)) : undefined;
    if (name === undefined) return mapEach(value, refer);
    schemas[name] ??= mapEach(value, refer);
    return { $ref: `#/components/schemas/${name}` };
  };
  return { part: mapEach(part, refer) as Part, schemas };
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function mapEach(value: unknown, map: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, map(each)]));
}
