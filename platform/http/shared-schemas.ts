import type { TSchema } from 'typebox';

/**
 * Replaces each schema that has a name by a reference to it: the document stays small, and generated clients get one type for each
 * object. Returns the parts with references, and the named schemas.
 */
export function shareSchemas<Part>(
  part: Part,
  named: Readonly<Record<string, TSchema>>,
): { part: Part; schemas: Record<string, unknown> } {
  const names = new Map(Object.entries(named).map(([name, schema]) => [JSON.stringify(schema), name]));
  const schemas: Record<string, unknown> = {};
  const refer = (value: unknown): unknown => {
    const name = names.get(JSON.stringify(value));
    if (name === undefined) return mapEach(value, refer);
    schemas[name] ??= mapEach(value, refer);
    return { $ref: `#/components/schemas/${name}` };
  };
  return { part: mapEach(part, refer) as Part, schemas };
}

function mapEach(value: unknown, map: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, map(each)]));
}
