import type { Page } from 'playwright-core';
import type { Shot } from './camera.ts';

/** The pages of an integration that need nothing but their address. */
const pages = [
  'overview?range=7d',
  'runs',
  'pull-requests?show=open',
  'pull-requests?show=mine',
  'failures',
  'event-log',
  'deliveries',
  'dead-letters',
  'metrics?days=7&groupBy=workflow',
  'what-changed',
  'jobs',
  'members',
  'rules',
  'rules/new',
  'settings',
  'connect',
];

/** Also taken at the less frequent sizes. */
const mainPages = [
  'overview',
  'runs',
  'pull-requests-open',
  'failures',
  'event-log',
  'metrics',
  'what-changed',
  'jobs',
  'rules',
];

export function integrationPages(base: string, state: string, all = true): Shot[] {
  return pages.map((page) => {
    const name = nameOf(page);
    const isMain = all && mainPages.includes(name);
    return { name: `${name}-${state}`, at: `${base}/${page}`, isMain };
  });
}

const nameOf = (page: string): string => page.replace('?show=', '-').replace(/\?.*/, '').replace('/', '-');

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

/** The server answers nothing, or only errors; or the connection was lost after the page was complete. */
export function hardTimes(base: string): Shot[] {
  const some = pages.filter((page) => !['rules/new', 'connect'].includes(page));
  return [
    ...some.map((page) => ({
      name: `loading-${nameOf(page)}`,
      at: `${base}/${page}`,
      before: (opened: Page) => opened.route(data, () => {}),
      until: (opened: Page) =>
        opened
          .getByText(/^Loading /)
          .first()
          .waitFor({ state: 'attached' }),
    })),
    ...some.map((page) => ({
      name: `failed-${nameOf(page)}`,
      at: `${base}/${page}`,
      before: (opened: Page) => opened.route(data, (route) => route.fulfill({ status: 500, json: problem })),
      until: (opened: Page) => opened.getByRole('button', { name: 'Try again' }).first().waitFor(),
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

const press =
  (name: string | RegExp, role: 'button' | 'menuitem' = 'button') =>
  async (page: Page): Promise<void> => {
    await page.getByRole(role, { name }).first().press('Enter');
    await page.locator('[role=dialog], [role=menu], [role=listbox]').first().waitFor();
    await page.waitForLoadState('networkidle');
  };

const type =
  (key: string, text = '') =>
  async (page: Page): Promise<void> => {
    await page.keyboard.press(key);
    await page.locator('[role=dialog]').first().waitFor();
    await page.keyboard.type(text);
    await page.waitForLoadState('networkidle');
  };

/** The sidebar of a phone, and on a larger screen its menu of integrations. */
async function openSidebar(page: Page): Promise<void> {
  const isPhone = await page.getByRole('button', { name: 'Open the menu' }).isVisible();
  await press(isPhone ? 'Open the menu' : 'Storefront')(page);
}

/** Dialogs and menus: name, page, how to open. */
const overlays: [string, string, (page: Page) => Promise<void>][] = [
  ['status', 'runs', press('Status')],
  ['workflow', 'runs', press('Workflow')],
  ['time', 'runs', press('Time')],
  ['more', 'runs', press('More')],
  ['views', 'runs?conclusion=failure', press('Views')],
  ['palette', 'runs', type('Control+k')],
  ['palette-search', 'runs', type('Control+k', 'checkout')],
  ['shortcuts', 'runs', type('?')],
  ['group-by', 'metrics?days=7&groupBy=workflow', press('Group by')],
  ['delivery', 'deliveries', press(/^Open delivery/)],
  ['drop', 'dead-letters', press(/^Drop/)],
  ['invite', 'members', press('Invite…')],
  ['delete-rule', 'rules', press(/^Delete /)],
  ['history', 'rules', press(/^Notifications of /)],
  ['branch', 'rules/new', press(/^Branch/)],
  ['secret', 'settings', press('Replace secret…')],
  ['transfer', 'settings', press(/^Transfer/)],
  ['delete', 'settings', press(/^Delete/)],
  ['share-link', 'settings', press('Create share link…')],
  ['badge', 'settings', press('Create badge…')],
  ['traces', 'settings', press('Export traces…')],
  ['token', 'settings', press('Create token…')],
  ['subscription', 'settings', press('Add subscription…')],
  ['sidebar', 'overview', openSidebar],
];

export function openedPages(base: string): Shot[] {
  return overlays.map(([name, page, act]) => ({ name: `open-${name}`, at: `${base}/${page}`, act }));
}
