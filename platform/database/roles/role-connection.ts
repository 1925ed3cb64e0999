import type pg from 'pg';
import { deriveKey } from '../../runtime/secrets/keys.ts';
import { genericPlans, type LocalSettings } from '../scope.ts';
import { idleTransactionMs, silenceMs, statementTimeoutMs } from '../time-limits.ts';

export const serviceRoles = ['forgewatch_api', 'forgewatch_worker'] as const;
export type ServiceRole = (typeof serviceRoles)[number];

/** Connection of a restricted role to the owner's database. `timeoutMs` limits each statement. */
export function roleConnection(
  ownerUrl: string,
  role: ServiceRole,
  masterKey: Buffer,
  timeoutMs = statementTimeoutMs,
): pg.ClientConfig {
  const { connection, localSettings } = pooledConnection(ownerUrl, role, masterKey, timeoutMs);
  return { ...connection, connectionString: withSettings(connection.connectionString, localSettings) };
}

/** The URL with settings of the session. They are added to its own, because pg uses only the options of a URL that has some. */
export function withSettings(connectionString: string, settings: LocalSettings): string {
  const url = new URL(connectionString);
  const added = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set('options', [...url.searchParams.getAll('options'), ...added].join(' '));
  return url.href;
}

/** Connection through a pooler that gives each transaction another session, and the settings that it needs in each. */
export function pooledConnection(
  poolerUrl: string,
  role: ServiceRole,
  masterKey: Buffer,
  timeoutMs = statementTimeoutMs,
): { connection: pg.ClientConfig & { connectionString: string }; localSettings: LocalSettings } {
  const url = new URL(poolerUrl);
  // Query parameters override user and password of the authority, also in a URL without a host.
  url.username = '';
  url.password = '';
  url.searchParams.set('user', role);
  url.searchParams.set('password', rolePassword(role, masterKey));
  return {
    connection: {
      connectionString: url.href,
      application_name: role,
      query_timeout: timeoutMs + silenceMs,
    },
    localSettings: {
      statement_timeout: String(timeoutMs),
      idle_in_transaction_session_timeout: String(idleTransactionMs),
      ...(role === 'forgewatch_worker' && genericPlans),
    },
  };
}

/** Derived from the key, so that each process can log in without a stored password. */
export function rolePassword(role: ServiceRole, masterKey: Buffer): string {
  return deriveKey(masterKey, `database-role/${role}`).toString('base64url');
}
