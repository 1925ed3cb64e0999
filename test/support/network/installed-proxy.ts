import { spawn, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after } from 'node:test';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { testCertificate } from '#test/support/network/test-certificate.ts';

/** A reverse proxy that operators use. */
export interface InstalledProxy {
  program: 'nginx' | 'caddy' | 'traefik';
  /** The language of its block in the guide. */
  language: string;
  /** Completes the block of the guide to a configuration in the directory, and returns the arguments that start it. */
  complete(block: string, directory: string, port: number): Promise<string[]>;
}

export const installedProxies: readonly InstalledProxy[] = [
  {
    program: 'nginx',
    language: 'nginx',
    complete: async (block, directory, port) => {
      const file = path.join(directory, 'nginx.conf');
      const site = block.replace('listen 443', `listen 127.0.0.1:${port}`);
      const main = `daemon off; pid ${directory}/pid; error_log stderr; events {}`;
      await writeFile(file, `${main}\nhttp {\n access_log off;\n${site}\n}\n`);
      return ['-c', file, '-p', directory];
    },
  },
  {
    program: 'caddy',
    language: 'caddy',
    complete: async (block, directory, port) => {
      const file = path.join(directory, 'Caddyfile');
      const site = block.replace(/^ci\.example\.com/m, `https://ci.example.com:${port}`);
      await writeFile(file, `{\n admin off\n auto_https disable_redirects\n}\n${site}\n`);
      return ['run', '--config', file, '--adapter', 'caddyfile'];
    },
  },
  {
    program: 'traefik',
    language: 'yaml',
    complete: async (block, directory, port) => {
      const file = path.join(directory, 'dynamic.yaml');
      await writeFile(file, block);
      return [`--entryPoints.websecure.address=127.0.0.1:${port}`, `--providers.file.filename=${file}`];
    },
  },
];

const versionFlags = { nginx: '-v', caddy: 'version', traefik: 'version' };

export function isInstalled({ program }: InstalledProxy): boolean {
  return spawnSync(program, [versionFlags[program]]).status === 0;
}

/** Starts the proxy with the block of `docs/guide/reverse-proxy.md`. Stopped when the file ends. */
export async function startInstalledProxy(
  { program, language, complete }: InstalledProxy,
  port: number,
  forgewatchPort: number,
): Promise<void> {
  const guide = await readFile(
    path.join(import.meta.dirname, '../../../docs/guide/reverse-proxy.md'),
    'utf8',
  );
  const block = new RegExp(`\`\`\`${language}\\n(.*?)\\n\`\`\``, 's').exec(guide)?.[1] ?? '';
  const directory = await makeTemporaryDirectory();
  const [cert, key] = [path.join(directory, 'crt'), path.join(directory, 'key')];
  await writeFile(cert, testCertificate.cert);
  await writeFile(key, testCertificate.key);
  const here = block
    .replace('127.0.0.1:8787', `127.0.0.1:${forgewatchPort}`)
    .replace('/etc/ssl/ci.example.com.crt', cert)
    .replace('/etc/ssl/ci.example.com.key', key);
  const child = spawn(program, await complete(here, directory, port), {
    cwd: directory,
    env: { ...process.env, HOME: directory },
    stdio: 'ignore',
  });
  after(() => child.kill());
}
