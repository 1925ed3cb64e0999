import { createPrivateKey } from 'node:crypto';
import * as type from './setting-types.ts';
import type { Read, SettingFault } from './setting.ts';
import { missingOf } from './together.ts';

/** The forge application: its identity, webhook secret and the role of synced members. */
export function readForgeAppSettings(read: Read) {
  return {
    forgeAppId: read({
      name: 'FORGE_APP_ID',
      default: 'unset',
      meaning:
        'ID of the forge application, which provides members, webhooks and history of linked organizations',
      parse: type.integer(1, Number.MAX_SAFE_INTEGER),
    }),
    forgeAppPrivateKey: read({
      name: 'FORGE_APP_PRIVATE_KEY',
      default: 'unset',
      meaning:
        'private key of the forge application in PEM; line breaks may be written as `\\n`, or the whole key as base64',
      parse: privateKey,
      secret: true,
    }),
    forgeAppSlug: read({
      name: 'FORGE_APP_SLUG',
      default: 'unset',
      meaning: 'name of the forge application in its URL, `https://github.com/apps/<slug>`',
      parse: slug,
    }),
    forgeAppWebhookSecret: read({
      name: 'FORGE_APP_WEBHOOK_SECRET',
      default: 'unset',
      meaning:
        'webhook secret of the forge application, at least 32 characters; verifies `/api/forge/webhook`',
      parse: longSecret,
      secret: true,
    }),
    forgeAppMemberRole: read({
      name: 'FORGE_APP_MEMBER_ROLE',
      default: 'member',
      meaning: 'role given to members synced from a linked organization',
      parse: type.oneOf('viewer', 'member', 'admin'),
    }),
  };
}

/** Faults of combinations, named by the variable to change. */
export function forgeAppFaults(settings: ReturnType<typeof readForgeAppSettings>): SettingFault[] {
  return missingOf({
    FORGE_APP_ID: settings.forgeAppId,
    FORGE_APP_PRIVATE_KEY: settings.forgeAppPrivateKey,
    FORGE_APP_SLUG: settings.forgeAppSlug,
  });
}

/** A short secret can be guessed offline from one signed delivery. */
const longSecret: type.SettingType<string> = (value) => {
  if (value.length < 32) throw new Error('at least 32 characters');
  return value;
};

const slug: type.SettingType<string> = (value) => {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(value)) throw new Error('letters, digits and dashes');
  return value;
};

/** Converts to PKCS#8, which the signing library needs. Forges issue PKCS#1. */
const privateKey: type.SettingType<string> = (value) => {
  const text = value.includes('-----BEGIN') ? value : Buffer.from(value, 'base64').toString();
  try {
    const key = createPrivateKey(text.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyType !== 'rsa') throw new Error('not an RSA key');
    return key.export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch {
    throw new Error('an RSA private key in PEM, as issued by the forge');
  }
};
