/** A payload as it came, or as its adapter made it. Nothing in it can be trusted to have the right type. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const fields = (value: unknown): Fields => (isFields(value) ? value : {});
