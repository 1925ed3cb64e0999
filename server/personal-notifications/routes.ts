import {
  PersonalNotifications,
  PersonalNotificationsBody,
  UnsubscribeQuery,
} from '#contract/members/personal-notifications.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { route, type Route } from '#server/route.ts';
import { changeSettings, readSettings } from './change-settings.ts';
import { disable } from './settings-store.ts';
import { unsubscribePath, type UnsubscribeTokens } from './unsubscribe-token.ts';

export interface PersonalNotificationRoutesDeps {
  db: Database;
  publicUrl: string;
  unsubscribeTokens: UnsubscribeTokens;
}

/** Mail programs bring no session. */
export const publicPrefixes = [unsubscribePath];

const settingsPath = '/api/user/notifications';

export function personalNotificationRoutes(deps: PersonalNotificationRoutesDeps): Route[] {
  const { db } = deps;
  return [
    route('GET', settingsPath, {
      access: 'signed-in',
      summary: 'Get whether the caller gets mails about the runs that they started',
      answer: { schema: PersonalNotifications },
      handle: ({ caller }) => readSettings(db, caller.userId),
    }),
    route('PUT', settingsPath, {
      access: 'signed-in',
      summary: 'Turn mails about the runs that the caller started on or off',
      body: PersonalNotificationsBody,
      answer: { schema: PersonalNotifications },
      handle: ({ caller, body }) => changeSettings(db, caller, body),
    }),
    ...unsubscribeRoutes(deps),
  ];
}

function unsubscribeRoutes({ db, publicUrl, unsubscribeTokens }: PersonalNotificationRoutesDeps): Route[] {
  const rateLimits = [{ perMinute: 20, by: 'address' as const }];
  return [
    route('POST', unsubscribePath, {
      access: { verifiedBy: 'unsubscribe-token' },
      summary: 'Turn mails to a person off by a link of a mail (RFC 8058)',
      query: UnsubscribeQuery,
      rawBodyMaxBytes: 1024,
      rateLimits,
      isConfidential: true,
      answer: { status: 204 },
      handle: async ({ query: { token } }) => {
        const userId = unsubscribeTokens.read(token);
        if (userId === undefined)
          throw new AppError('invalid_request', {
            detail:
              'The link is not valid. Open the whole link of the mail, or turn the mails off on your account page.',
          });
        await db.withScope({ userId }, (tx) => disable(tx, userId));
      },
    }),
    route('GET', unsubscribePath, {
      access: 'public',
      // Programs that check mails follow links: only the button of the page changes something.
      summary: 'Open the page that turns mails off by a link of a mail',
      query: UnsubscribeQuery,
      rateLimits,
      isConfidential: true,
      answer: { status: 302 },
      handle: async ({ query: { token }, reply }) =>
        void (await reply.redirect(`${publicUrl}/unsubscribe#token=${encodeURIComponent(token)}`, 302)),
    }),
  ];
}
