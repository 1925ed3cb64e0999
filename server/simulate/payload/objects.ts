import { stableNumber } from '../random.ts';
import type { Workflow } from '../plan/workflows.ts';
import templates from './templates.json' with { type: 'json' };

type Templates = typeof templates;

/** A copy of a template with its placeholders, for example `<repo>`, replaced. */
export function fill<Part extends keyof Templates>(
  part: Part,
  values: Record<string, string | number>,
): Templates[Part] {
  // A repository of sample data has a space in its name, and all of its placeholders are parts of URLs.
  const text = JSON.stringify(templates[part]).replaceAll(/<(\w+)>/g, (_, name: string) =>
    name === 'repo' ? encodeURI(String(values[name])) : String(values[name]),
  );
  return JSON.parse(text) as Templates[Part];
}

export const organization = templates.organization;

export type Account = ReturnType<typeof account>;

export function account(login: string, type: 'User' | 'Bot' | 'Organization' = 'User') {
  const id = stableNumber(`account/${login}`, 10_000_000, 180_000_000);
  return { login, id, type, ...fill('account', { id, login: encodeURIComponent(login) }) };
}

export type Repository = ReturnType<typeof repository>;

/** A repository in its two sizes: `summary` in runs, `full` at the top of an event. A fork belongs to its `owner`. */
export function repository(name: string, owner: Account = account(organization.login, 'Organization')) {
  const fullName = `${owner.login}/${name}`;
  const isFork = owner.type !== 'Organization';
  const id = stableNumber(`repository/${fullName}`, 200_000_000, 900_000_000);
  const summary = {
    id,
    name,
    full_name: fullName,
    owner,
    private: !isFork,
    fork: isFork,
    description: isFork ? null : `Source of ${name}`,
    ...fill('repository', { id, repo: fullName }),
  };
  const visibility = isFork ? 'public' : 'private';
  return { summary, full: { ...summary, ...fill('repositoryDetail', { repo: fullName }), visibility } };
}

export function workflowObject({ full: { full_name: repo } }: Repository, { name, path }: Workflow) {
  const id = stableNumber(`workflow/${repo}/${path}`, 20_000_000, 190_000_000);
  return { id, name, path, ...fill('workflow', { id, repo, path, name: encodeURIComponent(name) }) };
}

/** The forge's usual time format: whole seconds in UTC. */
export function wholeSecond(ms: number): string;
export function wholeSecond(ms: number | null): string | null;
export function wholeSecond(ms: number | null): string | null {
  return ms === null ? null : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
