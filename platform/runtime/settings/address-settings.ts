import path from 'node:path';
import type { Read, SettingFault } from './setting.ts';
import * as type from './setting-types.ts';

/** Where the server listens, its URL, and its directory. */
export function readAddressSettings(read: Read) {
  const host = read({
    name: 'HOST',
    default: '127.0.0.1',
    meaning: 'address to listen on',
    parse: type.text,
  });
  const port = read({
    name: 'PORT',
    default: '8787',
    meaning: 'port to listen on; 0 chooses a free port',
    parse: type.integer(0, 65535),
  });
  const publicUrl = read({
    name: 'PUBLIC_URL',
    // The default follows PORT, so that another port needs only one variable.
    default: `http://localhost:${port || 8787}`,
    meaning:
      '`{base_url}`: the URL that browsers and the forge use, without a path; the default follows PORT',
    parse: type.site('http:', 'https:'),
  });
  const dataDir = path.resolve(
    read({
      name: 'DATA_DIR',
      default: './data',
      meaning: 'directory of the embedded database, generated keys and log files',
      parse: type.text,
    }),
  );
  return { host, port, publicUrl, dataDir };
}

export function readWebOrigins(read: Read, publicUrl: string | undefined): readonly string[] {
  return (
    read({
      name: 'WEB_ORIGINS',
      default: 'unset: origin of PUBLIC_URL',
      meaning:
        'comma-separated origins allowed for CORS, state-changing requests, WebSockets and sign-in redirects; include the one of PUBLIC_URL',
      parse: type.originList,
    }) ?? originsOf(publicUrl)
  );
}

/** For `localhost` also allows 127.0.0.1, because people open either address. */
function originsOf(publicUrl: string | undefined): string[] {
  if (publicUrl === undefined) return [];
  const { origin, hostname } = new URL(publicUrl);
  return hostname === 'localhost' ? [origin, origin.replace('localhost', '127.0.0.1')] : [origin];
}

/** Without the origin of PUBLIC_URL nobody can sign in there or change anything. */
export function originFaults(publicUrl: string | undefined, webOrigins: readonly string[]): SettingFault[] {
  const origin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  if (origin === undefined || webOrigins.includes(origin)) return [];
  return [
    {
      name: 'WEB_ORIGINS',
      problem: `is ${JSON.stringify(webOrigins.join(','))}, should include ${origin}, the origin of PUBLIC_URL`,
    },
  ];
}
