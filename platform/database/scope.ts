import pg from 'pg';

/**
 * Whose rows a transaction may touch; row-level security reads it. Without a scope no tenant row is visible.
 * `service` is for tables that belong to no integration (queue, nodes): tenant tables stay closed.
 */
export type RowScope =
  | { integrationId: string }
  | { integrationIds: readonly string[] }
  | { userId: string }
  /** SHA-256 of a secret in hex: the one row that belongs to whoever holds it. */
  | { secretHash: string }
  | 'service';

export interface TransactionOptions {
  /** One snapshot for several reads. */
  snapshot?: boolean;
  /** Bound on each statement, in place of the role's own. */
  timeoutMs?: number;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return uuidPattern.test(value);
}

/**
 * The statements that open a transaction with its scope, as one message. `SET LOCAL` ends with the transaction, so a
 * pooled connection never carries a scope over.
 */
export function beginStatement(scope: RowScope, options: TransactionOptions): string {
  const begin = options.snapshot ? 'begin isolation level repeatable read read only' : 'begin';
  const timeout =
    options.timeoutMs === undefined ? '' : `; set local statement_timeout = ${Math.ceil(options.timeoutMs)}`;
  return `${begin}${timeout}${scopeSetting(scope)}`;
}

function scopeSetting(scope: RowScope): string {
  if (scope === 'service') return '';
  if ('integrationId' in scope) return `; set local app.integration_id = ${uuidLiteral(scope.integrationId)}`;
  if ('userId' in scope) return `; set local app.user_id = ${uuidLiteral(scope.userId)}`;
  if ('secretHash' in scope) return `; set local app.secret_hash = ${digestLiteral(scope.secretHash)}`;
  scope.integrationIds.forEach(uuidLiteral);
  return `; set local app.integration_ids = '{${scope.integrationIds.join(',')}}'`;
}

function uuidLiteral(value: string): string {
  if (!isUuid(value)) throw new Error('a row scope takes UUIDs only');
  return pg.escapeLiteral(value);
}

function digestLiteral(value: string): string {
  if (!/^[0-9a-f]{64}$/.test(value)) throw new Error('the hash of a secret has 64 hexadecimal digits');
  return pg.escapeLiteral(value);
}
