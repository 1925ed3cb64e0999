/** Fields of a payload that lists show; null where it has none. */
export interface PayloadNames {
  action: string | null;
  repository: string | null;
}

const maxNameLength = 255;

export function payloadNames(payload: unknown): PayloadNames {
  const { action, repository } = fields(payload);
  return { action: textOrNull(action), repository: textOrNull(fields(repository)['full_name']) };
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Cut to a length that fits a message: the payload is not trusted. */
function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, maxNameLength) : null;
}
