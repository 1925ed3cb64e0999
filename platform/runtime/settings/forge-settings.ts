import * as type from './setting-types.ts';
import type { Read, SettingFault } from './setting.ts';

const publicForge = { url: 'https://github.com', api: 'https://api.github.com' };

/** The forge and the headers that name its events. */
export function readForgeSettings(read: Read) {
  return {
    forgeName: read({
      name: 'FORGE_NAME',
      default: 'GitHub',
      meaning: 'display name of the forge',
      parse: type.text,
    }),
    forgeUrl: read({
      name: 'FORGE_URL',
      default: publicForge.url,
      meaning: 'web URL of the forge',
      parse: type.address('http:', 'https:'),
    }),
    forgeApiUrl: read({
      name: 'FORGE_API_URL',
      default: publicForge.api,
      meaning: 'API URL of the forge',
      parse: type.address('http:', 'https:'),
    }),
    forgeEventHeaders: read({
      name: 'FORGE_EVENT_HEADERS',
      default: 'x-forge-event,x-github-event,x-gitea-event,x-forgejo-event',
      meaning: 'comma-separated headers that may contain the event type; the first one present is used',
      parse: type.headerNames,
    }),
  };
}

/** Credentials of one forge must not be sent to another one. */
export function forgeFaults({
  forgeUrl,
  forgeApiUrl,
  forgeClientId,
  forgeAppId,
}: {
  forgeUrl: string;
  forgeApiUrl: string;
  forgeClientId: string | undefined;
  forgeAppId: number | undefined;
}): SettingFault[] {
  const hasCredentials = forgeClientId !== undefined || forgeAppId !== undefined;
  if (!hasCredentials || forgeUrl === publicForge.url || forgeApiUrl !== publicForge.api) return [];
  const problem = `is ${JSON.stringify(forgeApiUrl)}, should be the API URL of the forge at FORGE_URL`;
  return [{ name: 'FORGE_API_URL', problem }];
}
