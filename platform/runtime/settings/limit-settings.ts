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
    invitationMailsPerDay: read({
      name: 'INVITATION_MAILS_PER_DAY',
      default: '100',
      meaning:
        'invitations one person may mail in a day, which begins with the first of them, resends included. One address gets at most 5 a day from everybody together, and the whole service sends at most 1000',
      parse: type.integer(0, 1_000_000),
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
