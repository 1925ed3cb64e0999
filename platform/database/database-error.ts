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

/** Codes of Postgres, of Node's sockets and of its TLS. */
const outages: readonly [RegExp, string][] = [
  [/^53100$/, 'its disk is full'],
  [/^53300$/, 'it has too many connections'],
  [/^28/, 'it refuses the login'],
  [/^3D/, 'it has no database of this name'],
  [/^57P0[12]$/, 'it shuts down'],
  [/^57P03$/, 'it starts'],
  [/^25006$/, 'it allows no writes'],
  [/^(ECONNREFUSED|ENOENT)$/, 'nothing listens at its address'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the name of its host is not known'],
  [/CERT|VERIFY_LEAF/, 'its certificate is not trusted'],
];

/** Why the database is away, for people and without any name; undefined when the error does not tell. */
export function outageCause(error: unknown): string | undefined {
  if (error instanceof AggregateError) return outageCause(error.errors[0]);
  const code = String((error as { code?: unknown } | undefined)?.code);
  const cause = outages.find(([codes]) => codes.test(code))?.[1];
  return cause === undefined ? undefined : `${cause} (${code})`;
}

/** True when the server has no space to write. */
export function isDiskFull(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === '53100';
}

/** SQLSTATE: disk full, too many connections, read-only, shutting down, after a crash, starting. */
const unfitStates = /^(53100|53300|25006|57P0[123])$/;

/** True when the server currently refuses every client or write. */
export function canDoNothing(error: unknown): boolean {
  return unfitStates.test(String((error as { code?: unknown } | undefined)?.code));
}
