/** A body of OpenAPI in one media type. */
export interface MediaType {
  schema?: object;
  example?: unknown;
  examples?: Record<string, { $ref: string }>;
}

export interface DescribedOperation {
  operationId?: string;
  requestBody?: { content?: Record<string, MediaType> };
  responses?: Record<string, { $ref?: string; description?: string; content?: Record<string, MediaType> }>;
}

/** Makes the example of a body. Undefined for a body that no example explains. */
export type ExampleOf = (schema: object, mediaType: string) => unknown;

/**
 * Adds an example to each request body and each success response. Operations with the same body share its example, which is
 * returned for the components.
 */
export function addExamples(
  operations: readonly DescribedOperation[],
  exampleOf: ExampleOf,
): Record<string, { value: unknown }> {
  const bodies = operations.flatMap(({ operationId = '', requestBody, responses = {} }) => [
    ...bodiesOf(`${operationId}Request`, requestBody?.content),
    ...Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content }]) => bodiesOf(operationId, content)),
  ]);
  const made = bodies.flatMap((body) => {
    const value = exampleOf(body.media.schema ?? {}, body.type);
    return value === undefined ? [] : [{ ...body, value }];
  });
  const shared: Record<string, { value: unknown }> = {};
  for (const [, alike] of Map.groupBy(made, ({ value }) => JSON.stringify(value))) {
    const [{ name, value }] = alike as [(typeof alike)[number]];
    if (alike.length > 1) shared[name] = { value };
    for (const { media } of alike) {
      if (alike.length === 1) media.example = value;
      else media.examples = { success: { $ref: `#/components/examples/${name}` } };
    }
  }
  return shared;
}

function bodiesOf(name: string, content: Record<string, MediaType> = {}) {
  return Object.entries(content).map(([type, media]) => ({ name, type, media }));
}
