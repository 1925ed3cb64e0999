import type { Page } from 'playwright-core';
import type { ForgeAppState, LinkedInstallation } from '#contract/integrations/forge-app.ts';
import type { Shot } from './camera.ts';
import { press } from './overlays.ts';

const proof = 'proof';
const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

/** A complete link with these changes. */
function linked(login: string, changed: Partial<LinkedInstallation> = {}): LinkedInstallation {
  return {
    installationId: '77',
    account: { login, type: 'Organization' },
    linkedAt: ago(200),
    isSuspended: false,
    sync: { state: 'done', members: 42, finishedAt: ago(1), nextAt: ago(-1), error: null },
    webhooks: { state: 'done', repositories: 12, provisioned: 12, error: null },
    history: {
      state: 'done',
      since: ago(900),
      repositories: 12,
      repositoriesRead: 12,
      runs: 8311,
      finishedAt: ago(150),
      error: null,
    },
    ...changed,
  };
}

const states: LinkedInstallation[] = [
  linked('octo-org'),
  linked('new-org', {
    installationId: '78',
    sync: { state: 'waiting', members: 0, finishedAt: null, nextAt: null, error: null },
    webhooks: { state: 'waiting', repositories: 12, provisioned: 3, error: null },
    history: null,
  }),
  linked('an-organization-with-a-name-of-39-letters', {
    installationId: '79',
    sync: {
      state: 'failed',
      members: 0,
      finishedAt: null,
      nextAt: ago(-1),
      error: 'The forge answered 403: Resource not accessible by integration',
    },
    webhooks: {
      state: 'failed',
      repositories: 12,
      provisioned: 3,
      error: 'acme/site: The forge answered 403: Resource not accessible by integration',
    },
  }),
  linked('closed-org', { installationId: '80', isSuspended: true }),
];

/** Linking an organization. The forge does not answer here, so the answers about it are made up. */
export function forgeAppPages(integrationId: string): Shot[] {
  const settings = `/integrations/${integrationId}/settings`;
  const installed = '/forge-app/installed?installation_id=77';
  const answer = (installations: LinkedInstallation[]) => (page: Page) =>
    page.route('**/forge-app', (route) =>
      route.fulfill({ json: { isConfigured: true, installations } satisfies ForgeAppState }),
    );
  const section = (page: Page) =>
    page.getByRole('region', { name: 'Forge application' }).evaluate((element) => element.scrollIntoView());
  const begun = (page: Page) =>
    page.addInitScript(
      (setup) => localStorage.setItem('forgewatch.forge-app', setup),
      JSON.stringify({ integrationId, proof }),
    );
  const refusal = {
    code: 'installation_not_administered',
    detail: 'You do not administer the account of this installation at the forge.',
  };
  return [
    { name: 'link-none', at: settings, before: answer([]), act: section },
    { name: 'link-states', at: settings, before: answer(states), act: section },
    { name: 'link-remove', at: settings, before: answer(states), act: press('Unlink octo-org') },
    { name: 'link-confirm', at: `${installed}&setup_action=update`, before: begun },
    {
      name: 'link-checking',
      at: `${installed}&state=${proof}`,
      before: async (page: Page) => {
        await begun(page);
        await page.route('**/forge-app', () => {});
      },
      until: (page: Page) => page.getByText(/^Checking at the forge/).waitFor(),
    },
    {
      name: 'link-refused',
      at: `${installed}&state=${proof}`,
      before: async (page: Page) => {
        await begun(page);
        await page.route('**/forge-app', (route) => route.fulfill({ status: 403, json: refusal }));
      },
    },
    { name: 'link-elsewhere', at: `${installed}&state=another` },
  ];
}
