import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const Credentials = Type.Object({ url: Type.String(), token: Type.String() });
export type Credentials = Static<typeof Credentials>;
const schema = Compile(Credentials);

/** Follows the XDG Base Directory Specification. */
function credentialsFile(env: NodeJS.ProcessEnv): string {
  const directory = env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config');
  return path.join(directory, 'forgewatch', 'credentials.json');
}

/** Only the owner of the file can read it. Returns its path. */
export async function saveCredentials(env: NodeJS.ProcessEnv, credentials: Credentials): Promise<string> {
  const file = credentialsFile(env);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify(credentials)}\n`, { mode: 0o600 });
  // The mode above applies to new files only.
  await chmod(file, 0o600);
  return file;
}

/**
 * From `FORGEWATCH_URL` and `FORGEWATCH_TOKEN`, or from the last `login`. The variables count together, so that a token is
 * never sent to another server than its own.
 */
export async function readCredentials(env: NodeJS.ProcessEnv): Promise<Credentials> {
  const { FORGEWATCH_URL: url, FORGEWATCH_TOKEN: token } = env;
  if (url && token) return { url: url.replace(/\/+$/, ''), token };
  if (url || token) throw new Error('Set both FORGEWATCH_URL and FORGEWATCH_TOKEN, or neither.');
  const file = credentialsFile(env);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw new Error('You are not logged in. Run: forgewatch login --url URL');
  try {
    const value: unknown = JSON.parse(text);
    if (schema.Check(value)) return value;
  } catch {
    // Reported below.
  }
  throw new Error(`${file} is not valid. Run: forgewatch login --url URL`);
}
