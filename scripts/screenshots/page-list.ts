import type { Page } from 'playwright-core';
import type { Shot } from './camera.ts';

/** The pages of an integration that need nothing but their address. */
const pages = [
  'overview?range=7d',
  'runs',
  'pull-requests?show=open',
  'pull-requests?show=mine',
  'incidents',
  'failures',
  'event-log',
  'deliveries',
  'dead-letters',
  'metrics?days=7&groupBy=workflow',
  'what-changed',
  'health',
  'queue',
  'jobs',
  'tests',
  'tests?quarantined=true',
  'tests?show=jobs',
  'members',
  'rules',
  'rules/new',
  'settings',
  'settings/background-work',
  'connect',
];

/** Also taken at the less frequent sizes. */
const mainPages = [
  'overview',
  'runs',
  'pull-requests-open',
  'incidents',
  'failures',
  'event-log',
  'metrics',
  'what-changed',
  'health',
  'queue',
  'jobs',
  'tests',
  'tests-quarantined',
  'rules',
];

export function integrationPages(base: string, state: string, all = true): Shot[] {
  return pages.map((page) => {
    const name = nameOf(page);
    const isMain = all && mainPages.includes(name);
    return { name: `${name}-${state}`, at: `${base}/${page}`, isMain };
  });
}

const nameOf = (page: string): string =>
  page
    .replace(/\?(?:show=|(?=quarantined))/, '-')
    .replace(/=true$/, '')
    .replace(/\?.*/, '')
    .replace('/', '-');

const noMatches = [
  'runs?q=nothing+has+this+title',
  'pull-requests?show=closed&q=nothing',
  'failures?q=nothing',
  'event-log?q=nothing',
  'deliveries?from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z',
  'jobs?job=nothing',
  'runs/1',
  'pull-requests/99999',
  'failures/0f8d8a4c-26a1-4b8e-8f0a-5a2f6ed1c0de',
  'rules/0f8d8a4c-26a1-4b8e-8f0a-5a2f6ed1c0de',
  'settings/webhooks/0f8d8a4c-26a1-4b8e-8f0a-5a2f6ed1c0de',
  'workflow',
  'deliveries?open=0f8d8a4c-26a1-4b8e-8f0a-5a2f6ed1c0de',
  'dead-letters?messageId=1',
  'nothing-here',
];

/** Filters without a match, and addresses of what does not exist. */
export function missingPages(base: string): Shot[] {
  return noMatches.map((page) => ({
    name: `missing-${page.replace(/[/?].*/, (rest) => `-${rest.slice(1, 6)}`).replace(/[=&]/g, '-')}`,
    at: `${base}/${page}`,
  }));
}

const problem = { code: 'internal', detail: 'Something went wrong on our side.', requestId: 'request-7' };
const data = /\/api\/integrations\/[^/]+\/(?!socket)/;

/** The pages while the answers of the addresses are missing, and when they are errors. */
export function loadingAndFailed(loaded: readonly Pick<Shot, 'name' | 'at'>[], addresses = data): Shot[] {
  return [
    ...loaded.map(({ name, at }) => ({
      name: `loading-${name}`,
      at,
      before: (opened: Page) => opened.route(addresses, () => {}),
      until: (opened: Page) =>
        opened
          .getByText(/^Loading /)
          .first()
          .waitFor({ state: 'attached' }),
    })),
    ...loaded.map(({ name, at }) => ({
      name: `failed-${name}`,
      at,
      before: (opened: Page) =>
        opened.route(addresses, (route) => route.fulfill({ status: 500, json: problem })),
      until: (opened: Page) => opened.getByRole('button', { name: 'Try again' }).first().waitFor(),
    })),
  ];
}

/** Pages whose data loads for ever, cannot be loaded or breaks the page, and pages whose connection is lost. */
export function loadingAndErrorPages(base: string, single: readonly Shot[]): Shot[] {
  const some = pages.filter((page) => !['rules/new', 'connect'].includes(page));
  const loaded = [
    ...some.map((page) => ({ name: nameOf(page), at: `${base}/${page}` })),
    ...single.map(({ name, at }) => ({ name: `one-${name.replace(/-busy$/, '')}`, at })),
  ];
  return [
    ...loadingAndFailed(loaded),
    ...loadingAndFailed([{ name: 'home', at: '/' }], /\/api\/home/),
    ...loadingAndFailed([{ name: 'account', at: '/account' }], /\/api\/(user\/|invitations)/),
    ...loadingAndFailed([{ name: 'wall', at: base.replace('integrations', 'wall') }], /\/wallboard/),
    ...[
      { name: 'crashed-page', at: `${base}/overview`, broken: '**/overview?*' },
      { name: 'crashed-account', at: '/account', broken: '**/api/user' },
    ].map(({ broken, ...shot }) => ({
      ...shot,
      before: (opened: Page) => opened.route(broken, (route) => route.fulfill({ json: {} })),
      until: (opened: Page) => opened.getByRole('region', { name: 'This page cannot be shown' }).waitFor(),
    })),
    ...['overview', 'runs', 'metrics'].map((page) => ({
      name: `offline-${page}`,
      at: `${base}/${page}`,
      act: async (opened: Page) => {
        await opened.context().setOffline(true);
        await opened.getByText(/^Offline/).waitFor();
      },
    })),
  ];
}
