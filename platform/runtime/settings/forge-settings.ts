import * as type from './setting-types.ts';
import type { Read, SettingFault } from './settings.ts';

const publicForge = { url: 'https://github.com', api: 'https://api.github.com' };

/** Which forge it is, and how its webhooks are told apart. */
export function readForgeSettings(read: Read) {
  return {
    forgeName: read({
      name: 'FORGE_NAME',
      default: 'GitHub',
      meaning: 'the forge as people call it',
      parse: type.text,
    }),
    forgeUrl: read({
      name: 'FORGE_URL',
      default: publicForge.url,
      meaning: "the forge's web root",
      parse: type.address('http:', 'https:'),
    }),
    forgeApiUrl: read({
      name: 'FORGE_API_URL',
      default: publicForge.api,
      meaning: "the forge's API root",
      parse: type.address('http:', 'https:'),
    }),
    forgeEventHeaders: read({
      name: 'FORGE_EVENT_HEADERS',
      default: 'x-forge-event,x-github-event,x-gitea-event,x-forgejo-event',
      meaning: 'headers that may name the event type, first match wins',
      parse: type.headerNames,
    }),
  };
}

/** What one forge gives out for people or the application must not be shown to another. */
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
  const isSecretKept = forgeClientId !== undefined || forgeAppId !== undefined;
  if (!isSecretKept || forgeUrl === publicForge.url || forgeApiUrl !== publicForge.api) return [];
  const problem = `is ${JSON.stringify(forgeApiUrl)}, should be the API root of FORGE_URL`;
  return [{ name: 'FORGE_API_URL', problem }];
}
