import type { Integration } from '#contract/integrations/integrations.ts';
import { tokenPrefix } from '#contract/members/api-tokens.ts';
import { requiredText, UsageError, type Command } from '#server/commands/command.ts';
import { hiddenLines } from '#server/commands/hidden-lines.ts';
import { apiOf } from './api.ts';
import { saveCredentials } from './credentials.ts';
import { cell, makeTerminal } from './terminal.ts';

/** The token comes from standard input, because command lines are visible to other processes. */
export function loginCommand(env: NodeJS.ProcessEnv): Command {
  return {
    name: 'login',
    summary: 'store the address of a server and an API token, which is read from standard input',
    options: {
      url: { type: 'string', value: 'URL', help: 'the server, such as https://forgewatch.example.com' },
      json: { type: 'boolean', help: 'print JSON' },
    },
    run: async (values) => {
      const url = originOf(requiredText(values, 'url'));
      const token = await readToken(url);
      const { items } = await apiOf({ url, token }).get<{ items: Integration[] }>('/api/integrations', {
        limit: '100',
      });
      const file = await saveCredentials(env, { url, token });
      const terminal = makeTerminal(env);
      if (values['json'] === true) terminal.json({ url, file, integrations: items });
      else {
        terminal.line(`Logged in to ${url}. The token is stored in ${file}.`);
        terminal.table(
          items.map(({ integrationId, label, role }) => [
            { text: integrationId },
            { text: cell(label) },
            { text: role, colour: 'grey' },
          ]),
        );
      }
      return 0;
    },
  };
}

function originOf(text: string): string {
  const url = URL.parse(text);
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.pathname !== '/' ||
    url.username !== ''
  )
    throw new UsageError('--url takes the address of a server, such as https://forgewatch.example.com');
  return url.origin;
}

/** Does not show what is typed on a terminal. */
async function readToken(url: string): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY) process.stderr.write(`Create an API token at ${url}/account and paste it here: `);
  const lines = hiddenLines();
  try {
    for await (const line of lines) {
      const token = line.trim();
      if (stdin.isTTY) process.stderr.write('\n');
      if (token.startsWith(tokenPrefix)) return token;
      if (token !== '') throw new UsageError(`An API token begins with ${tokenPrefix}`);
    }
  } finally {
    lines.close();
  }
  throw new UsageError('No API token on standard input');
}
