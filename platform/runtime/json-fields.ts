/** A JSON object from outside. Nothing in it can be trusted to have the right type. */
export type Fields = Record<string, unknown>;

const nothing: Fields = Object.freeze({});

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An optional object; anything else reads as an empty one. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : nothing;
}
