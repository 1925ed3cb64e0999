import { Compile } from 'typebox/compile';
import {
  defaultTokenDays,
  IntegrationTokenBody,
  maxTokenDays,
  PersonalTokenBody,
} from '#contract/members/api-tokens.ts';
import type { Database } from '#platform/database/database.ts';
import { isUuid } from '#platform/database/scope.ts';
import { systemClock } from '#platform/runtime/clock.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import { makeLog } from '#platform/runtime/log.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { addIntegrationToken } from '#server/api-tokens/integration-tokens.ts';
import { createPersonalToken } from '#server/api-tokens/personal-tokens.ts';
import { openRuntime } from '#server/runtime.ts';
import { asRunning } from '../running.ts';
import { findOwner } from './integration-create.ts';
import { numberOption, requiredText, UsageError, type Command, type OptionValues } from './command.ts';

const personalBody = Compile(PersonalTokenBody);
const integrationBody = Compile(IntegrationTokenBody);

/** For operators: works on the database, because no API token can create another one. */
export function tokenCreateCommand(config: () => Config): Command {
  return {
    name: 'token create',
    summary: 'create an API token on the machine of the server; prints it as JSON',
    options: {
      name: { type: 'string', value: 'N', help: 'what the token is for, 1 to 100 characters' },
      owner: {
        type: 'string',
        value: 'LOGIN',
        help: 'forge login of the person it acts as, who must have signed in before (default: the demo user)',
      },
      write: { type: 'boolean', help: 'allow changes (default: read only)' },
      integration: { type: 'string', value: 'ID,…', help: 'limit it to these integrations' },
      role: {
        type: 'string',
        value: 'ROLE',
        help: 'viewer, member or reports (only uploads test reports): the token belongs to the integration, not to a person',
      },
      days: {
        type: 'string',
        value: 'N',
        help: `days until it expires, at most ${maxTokenDays} (default: ${defaultTokenDays})`,
      },
    },
    run: async (values) => {
      const request = readOptions(values);
      const settings = await asRunning(config());
      const runtime = await openRuntime(settings, makeLog(settings));
      try {
        const created = await create(runtime.open('forgewatch_api'), settings, request, values['owner']);
        process.stdout.write(`${JSON.stringify(created)}\n`);
        return 0;
      } finally {
        await runtime.close();
      }
    },
  };
}

type TokenRequest = { personal: PersonalTokenBody } | { integrationId: string; body: IntegrationTokenBody };

function readOptions(values: OptionValues): TokenRequest {
  const name = requiredText(values, 'name');
  const days = numberOption(values, 'days', { fallback: defaultTokenDays, max: maxTokenDays });
  const expiresAt = new Date(Date.now() + days * dayMs).toISOString();
  const given = values['integration'];
  const ids = typeof given === 'string' ? given.split(',') : undefined;
  if (ids?.some((id) => !isUuid(id))) throw new UsageError('--integration takes the id of an integration');
  const { role } = values;
  if (role !== undefined) {
    const body = { name, role, expiresAt };
    if (!integrationBody.Check(body))
      throw new UsageError(
        '--role takes viewer, member or reports, --name one line of 1 to 100 visible characters',
      );
    const [integrationId, ...others] = ids ?? [];
    if (integrationId === undefined || others.length > 0)
      throw new UsageError('--role requires --integration with one id');
    if (values['owner'] !== undefined || values['write'] !== undefined)
      throw new UsageError('--owner and --write are for personal tokens: the role of --role decides');
    return { integrationId, body };
  }
  const personal = {
    name,
    scopes: values['write'] === true ? ['read', 'write'] : ['read'],
    expiresAt,
    ...(ids && { integrationIds: ids }),
  };
  if (!personalBody.Check(personal))
    throw new UsageError('--name takes one line of 1 to 100 visible characters');
  return { personal };
}

async function create(
  db: Database,
  settings: Config,
  request: TokenRequest,
  owner: OptionValues[string],
): Promise<object> {
  const clock = systemClock;
  if ('personal' in request)
    return createPersonalToken({ db, clock }, await findOwner(db, settings, owner), request.personal);
  const { integrationId, body } = request;
  return db.withScope({ integrationId }, (tx) =>
    addIntegrationToken(tx, clock, { integrationId, actorId: null, body }),
  );
}
