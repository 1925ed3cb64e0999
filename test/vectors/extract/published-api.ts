/** A part of an API as its forge publishes it, and how it is stored in `api.json`. */
export interface PublishedApi {
  source: string;
  licence: string;
  operations: Operation[];
  /** The schemas that `#/schemas/NAME` refers to. */
  schemas: Record<string, unknown>;
}

export interface Operation {
  method: string;
  /** With placeholders: `/repos/{owner}/{repo}`. */
  path: string;
  parameters: Parameter[];
  /** Null when the operation has no body. */
  body: unknown;
  /** The schema of each answer that is a success. Null when it has no JSON. */
  answers: Record<string, unknown>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: unknown;
}

/** The schemas that the operations need, directly or through others, by name. */
export function neededSchemas(
  operations: readonly Operation[],
  schemaOf: (name: string) => unknown,
): Record<string, unknown> {
  const needed = new Map<string, unknown>();
  const waiting = namesIn(operations);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (needed.has(name)) continue;
    const schema = schemaOf(name);
    needed.set(name, schema);
    waiting.push(...namesIn(schema));
  }
  return Object.fromEntries([...needed].toSorted(([a], [b]) => a.localeCompare(b)));
}

function namesIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"#\/schemas\/([^"]+)"/g)].map((match) => match[1]!);
}
