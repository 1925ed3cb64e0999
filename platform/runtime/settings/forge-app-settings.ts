import { createPrivateKey } from 'node:crypto';
import * as type from './setting-types.ts';
import type { Read, SettingFault } from './settings.ts';
import { missingOf } from './together.ts';

/** The forge application: its webhooks, and what it may ask the forge for. */
export function readForgeAppSettings(read: Read) {
  return {
    forgeAppId: read({
      name: 'FORGE_APP_ID',
      default: 'unset',
      meaning: 'number of the forge application: members, webhooks and history of linked organizations',
      parse: type.integer(1, Number.MAX_SAFE_INTEGER),
    }),
    forgeAppPrivateKey: read({
      name: 'FORGE_APP_PRIVATE_KEY',
      default: 'unset',
      meaning: 'its private key, PEM; line ends may be written as `\\n`, or the whole as base64',
      parse: privateKey,
      secret: true,
    }),
    forgeAppSlug: read({
      name: 'FORGE_APP_SLUG',
      default: 'unset',
      meaning: "its name in the forge's addresses, `https://github.com/apps/<slug>`",
      parse: slug,
    }),
    forgeAppWebhookSecret: read({
      name: 'FORGE_APP_WEBHOOK_SECRET',
      default: 'unset',
      meaning: 'its webhook secret; verifies `/api/forge/webhook`; at least 32 characters',
      parse: longSecret,
      secret: true,
    }),
    forgeAppMemberRole: read({
      name: 'FORGE_APP_MEMBER_ROLE',
      default: 'member',
      meaning: 'role of people who come from a linked organization',
      parse: type.oneOf('viewer', 'member', 'admin'),
    }),
  };
}

/** What cannot work together, each named by the variable to change. */
export function forgeAppFaults(settings: ReturnType<typeof readForgeAppSettings>): SettingFault[] {
  return missingOf({
    FORGE_APP_ID: settings.forgeAppId,
    FORGE_APP_PRIVATE_KEY: settings.forgeAppPrivateKey,
    FORGE_APP_SLUG: settings.forgeAppSlug,
  });
}

/** A short secret can be guessed from one signed delivery. */
const longSecret: type.SettingType<string> = (value) => {
  if (value.length < 32) throw new Error('at least 32 characters');
  return value;
};

const slug: type.SettingType<string> = (value) => {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(value)) throw new Error('letters, digits and dashes');
  return value;
};

/** PKCS#8, which is what the forge's library signs with; forges hand out PKCS#1. */
const privateKey: type.SettingType<string> = (value) => {
  const text = value.includes('-----BEGIN') ? value : Buffer.from(value, 'base64').toString();
  try {
    const key = createPrivateKey(text.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyType !== 'rsa') throw new Error('of another kind');
    return key.export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch {
    throw new Error('an RSA private key in PEM, as the forge gave it out');
  }
};
