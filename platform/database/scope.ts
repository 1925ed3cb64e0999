import pg from 'pg';
import type { Actor } from './acting-user.ts';

/**
 * The rows that a transaction may access; row-level security reads it. Without a scope no row of an integration is
 * visible. Within `actAs` the database leaves out integrations that the actor does not belong to.
 * `service` is for tables that belong to no integration (queue, nodes).
 */
export type RowScope =
  | { integrationId: string }
  | { integrationIds: readonly string[] }
  /** For a user who is about to become a member, after the code has checked that they may. */
  | { joiningIntegrationId: string }
  | { userId: string }
  /** Which integrations are linked to an installation of the forge application, and no other data of them. */
  | { installationId: string }
  /** Rows that wait for a verified e-mail address, such as invitations. */
  | { verifiedEmail: string }
  /** SHA-256 of a secret in hex: the row that belongs to the holder of the secret. */
  | { secretHash: string }
  | 'service';

export interface TransactionOptions {
  /** One snapshot for several reads. */
  snapshot?: boolean;
  /**
   * For statements that find rows by key, whatever their parameters are: Postgres plans each once for a connection. Otherwise it may plan
   * one at each call, which takes longer than the statement, because a list of parameters is shorter than it expects.
   */
  plansOnce?: boolean;
  /** Time limit of each statement, instead of the role's default. */
  timeoutMs?: number;
}

/** Settings of Postgres by name, for each transaction of a connection that keeps no session. */
export type LocalSettings = Readonly<Record<string, string>>;

/**
 * For statements that find rows by key. A generic plan serves every call, and must not be a sequential scan because the table was
 * small when it was planned.
 */
export const genericPlans: LocalSettings = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' };

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Accepts only the canonical lower-case form, because IDs are also map keys and part of sealing contexts. */
export function isUuid(value: string): boolean {
  return uuidPattern.test(value);
}

/**
 * The statements that open a transaction with its scope, as one message. A local setting ends with the transaction, so a
 * pooled connection never keeps a scope.
 */
export function beginStatement(
  scope: RowScope,
  { snapshot, plansOnce, timeoutMs }: TransactionOptions,
  actor: Actor | undefined,
  settings: LocalSettings = {},
): string {
  const begin = snapshot ? 'begin isolation level repeatable read read only' : 'begin';
  const timeout = timeoutMs === undefined ? {} : { statement_timeout: String(Math.ceil(timeoutMs)) };
  const local = { ...settings, ...timeout, ...(plansOnce && genericPlans) };
  const calls = [
    ...Object.entries(local).map(([name, value]) => localSetting(name, `'${value}'`)),
    ...enterScope(scope, actor),
  ];
  return calls.length === 0 ? begin : `${begin}; select ${calls.join(', ')}`;
}

/** All settings share one statement. */
function localSetting(name: string, literal: string): string {
  return `set_config('${name}', ${literal}, true)`;
}

function enterScope(scope: RowScope, actor: Actor | undefined): string[] {
  if (scope === 'service') return [];
  if ('userId' in scope) return [localSetting('app.user_id', uuidLiteral(scope.userId))];
  if ('installationId' in scope)
    return [localSetting('app.installation_id', numberLiteral(scope.installationId))];
  if ('verifiedEmail' in scope) return [localSetting('app.verified_email', textLiteral(scope.verifiedEmail))];
  if ('secretHash' in scope) return [localSetting('app.secret_hash', digestLiteral(scope.secretHash))];
  if ('joiningIntegrationId' in scope)
    return [localSetting('app.integration_id', uuidLiteral(scope.joiningIntegrationId))];
  if (actor !== undefined) return enterAs(scope, actor);
  if ('integrationId' in scope) return [localSetting('app.integration_id', uuidLiteral(scope.integrationId))];
  return [localSetting('app.integration_ids', uuidArrayLiteral(scope.integrationIds))];
}

/** The database leaves out integrations that the actor does not belong to, this function those that a token is limited from. */
function enterAs(
  scope: { integrationId: string } | { integrationIds: readonly string[] },
  { userId, integrationIds: allowed }: Actor,
): string[] {
  const user = uuidLiteral(userId);
  const isAllowed = (id: string): boolean => allowed === undefined || allowed.includes(id);
  if ('integrationIds' in scope)
    return [`enter_integrations(${uuidArrayLiteral(scope.integrationIds.filter(isAllowed))}, ${user})`];
  const integration = uuidLiteral(scope.integrationId);
  return isAllowed(scope.integrationId) ? [`enter_integration(${integration}, ${user})`] : [];
}

function uuidArrayLiteral(values: readonly string[]): string {
  values.forEach(uuidLiteral);
  return `'{${values.join(',')}}'`;
}

function uuidLiteral(value: string): string {
  if (!isUuid(value)) throw new Error('a row scope takes UUIDs only');
  return pg.escapeLiteral(value);
}

function numberLiteral(value: string): string {
  if (!/^[1-9][0-9]{0,17}$/.test(value)) throw new Error('the id of an installation is a number');
  return pg.escapeLiteral(value);
}

function digestLiteral(value: string): string {
  if (!/^[0-9a-f]{64}$/.test(value)) throw new Error('the hash of a secret has 64 hexadecimal digits');
  return pg.escapeLiteral(value);
}

function textLiteral(value: string): string {
  if (value.includes('\0')) throw new Error('a row scope takes no NUL');
  return pg.escapeLiteral(value);
}
