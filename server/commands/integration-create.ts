import { Compile } from 'typebox/compile';
import { IntegrationBody } from '#contract/integrations/integrations.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { Database } from '#platform/database/database.ts';
import { makeLog } from '#platform/runtime/log.ts';
import { findOrCreateDemoUser } from '#server/identity/demo-identity.ts';
import { findUserIdByLogin } from '#server/identity/find-user.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { webhookUrl } from '#server/integrations/webhook-url.ts';
import { openRuntime } from '#server/runtime.ts';
import { asRunning } from '../running.ts';
import { requiredText, UsageError, type Command } from './command.ts';

/** The same rules as in the web app, so that it can display and change the label. */
const body = Compile(IntegrationBody);

export function integrationCreateCommand(config: () => Config): Command {
  return {
    name: 'integration create',
    summary: 'create an integration; prints its id, webhook URL and secret as JSON',
    options: {
      label: { type: 'string', value: 'L', help: 'its name, 1 to 100 characters' },
      owner: {
        type: 'string',
        value: 'LOGIN',
        help: 'forge login of the owner, who must have signed in before (default: the demo user)',
      },
    },
    run: async (values) => {
      const label = requiredText(values, 'label');
      if (!body.Check({ label }))
        throw new UsageError('--label takes one line of 1 to 100 visible characters');
      const settings = await asRunning(config());
      const runtime = await openRuntime(settings, makeLog(settings));
      try {
        const db = runtime.open('forgewatch_api');
        const ownerId = await findOwner(db, settings, values['owner']);
        const created = await createIntegration({ db, sealer: runtime.sealer }, { label, ownerId });
        const url = webhookUrl(settings.publicUrl, created.integrationId);
        process.stdout.write(
          `${JSON.stringify({ integrationId: created.integrationId, webhookUrl: url, webhookSecret: created.webhookSecret })}\n`,
        );
        return 0;
      } finally {
        await runtime.close();
      }
    },
  };
}

/** The user with this login, by default the demo user. */
export async function findOwner(
  db: Database,
  settings: Config,
  login: string | boolean | undefined,
): Promise<string> {
  if (typeof login !== 'string') {
    if (settings.demoSignIn) return await findOrCreateDemoUser(db);
    throw new UsageError('--owner LOGIN is required: the login of a user who has signed in before');
  }
  const userId = await findUserIdByLogin(db, login);
  if (userId === undefined)
    throw new Error(`No user with the login ${login} has signed in yet. Sign in once, then try again.`);
  return userId;
}
