/**
 * SQLSTATE classes and codes of an unavailable or overloaded server. Classes 28 and 3D (login or database refused) are
 * included, because an operator can fix them without a change of the statement.
 */
const awayStates = /^(08|28|3D|57014|57P0[1235]|53[0-4]|58|40001|40P01|55P03|25006|25P03)/;

const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EHOSTUNREACH',
]);

const awayMessages =
  /connection terminated|connection ended|client has encountered a connection error|timeout exceeded when trying to connect|query read timeout|timeout expired|client was closed|not queryable/i;

/** True when the same statement may succeed later: the database was unreachable or asked for a retry. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && (awayCodes.has(code) || awayStates.test(code))) return true;
  return awayMessages.test(error.message);
}

/** SQLSTATE: disk full, too many connections, read-only, shutting down, after a crash, starting. */
const unfitStates = /^(53100|53300|25006|57P0[123])$/;

/** True when the server currently refuses every client or write. */
export function canDoNothing(error: unknown): boolean {
  return unfitStates.test(String((error as { code?: unknown } | undefined)?.code));
}
