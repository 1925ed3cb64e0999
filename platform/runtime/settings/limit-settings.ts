import type { Read, SettingFault } from './setting.ts';
import * as type from './setting-types.ts';

/** Limits per user, and who may create integrations. */
export function readLimitSettings(read: Read) {
  return {
    whoMayCreate: read({
      name: 'WHO_MAY_CREATE',
      default: 'unset: every signed-in user',
      meaning:
        'comma-separated list of users who may create integrations: verified e-mail addresses, `*@example.com` for a whole domain and, with the built-in identity provider, forge logins',
      parse: type.people,
    }),
    integrationsPerPerson: read({
      name: 'INTEGRATIONS_PER_PERSON',
      default: '50',
      meaning: 'number of integrations one user may own',
      parse: type.integer(1, 1_000_000),
    }),
    integrationBytesPerDay: read({
      name: 'INTEGRATION_BYTES_PER_DAY',
      default: '2147483648',
      meaning:
        'bytes of webhooks and test reports, as received, that an integration may store in a day (UTC); further ones get 429 until the day ends. 0: no limit',
      parse: type.integer(0, Number.MAX_SAFE_INTEGER),
    }),
    integrationEventsPerDay: read({
      name: 'INTEGRATION_EVENTS_PER_DAY',
      default: '1000000',
      meaning:
        'webhooks of an integration that are accepted in a day (UTC), repeated ones included; further ones get 429. 0: no limit',
      parse: type.integer(0, Number.MAX_SAFE_INTEGER),
    }),
    personBytesPerDay: read({
      name: 'PERSON_BYTES_PER_DAY',
      default: '8589934592',
      meaning:
        'bytes that all integrations of one owner together may store in a day (UTC); what was stored for another owner is not counted. 0: no limit',
      parse: type.integer(0, Number.MAX_SAFE_INTEGER),
    }),
    ...readLogLimits(read),
    invitationMailsPerDay: read({
      name: 'INVITATION_MAILS_PER_DAY',
      default: '100',
      meaning:
        'invitations one person may mail in a day, which begins with the first of them, resends included. One address gets at most 5 a day from everybody together, and the whole service sends at most 1000',
      parse: type.integer(0, 1_000_000),
    }),
  };
}

function readLogLimits(read: Read) {
  return {
    logBytesPerPersonPerDay: read({
      name: 'LOG_BYTES_PER_PERSON_PER_DAY',
      default: '21474836480',
      meaning:
        'bytes of logs of jobs that one person, or one API token of an integration, may have read from forges in a day (UTC); logs in the cache stay readable. 0: no limit',
      parse: type.integer(0, Number.MAX_SAFE_INTEGER),
    }),
    logCacheBytes: read({
      name: 'LOG_CACHE_BYTES',
      default: '268435456',
      meaning:
        'bytes of logs of jobs, compressed and encrypted, that are kept of one integration; those opened least recently are deleted first',
      parse: type.integer(1024 * 1024, Number.MAX_SAFE_INTEGER),
    }),
    logCacheDays: read({
      name: 'LOG_CACHE_DAYS',
      default: '3',
      meaning: 'days that the log of a job is kept after it was last opened',
      parse: type.integer(1, 90),
    }),
  };
}

/** An external identity provider may let users change the login in their tokens, so a login proves nothing there. */
export function limitFaults({
  whoMayCreate,
  oidcIssuer,
}: {
  whoMayCreate: type.People | undefined;
  oidcIssuer: string | undefined;
}): SettingFault[] {
  const [login] = whoMayCreate?.logins ?? [];
  if (login === undefined || oidcIssuer === undefined) return [];
  const problem = `names the login ${JSON.stringify(login)}, should name e-mail addresses only while OIDC_ISSUER is set: its users may be able to change their login`;
  return [{ name: 'WHO_MAY_CREATE', problem }];
}
