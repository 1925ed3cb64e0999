import type { Page } from 'playwright-core';
import type { Shot } from './camera.ts';

type Act = (page: Page) => Promise<void>;
/** Name, page of the integration, how to open. */
export type Overlay = [name: string, page: string, act: Act];
type Role = 'button' | 'menuitem' | 'menuitemradio';

const overlay = '[role=dialog], [role=menu], [role=listbox]';

/** Presses the first control of the name. */
const tap =
  (name: string | RegExp, role: Role = 'button'): Act =>
  async (page) => {
    await page.getByRole(role, { name }).first().press('Enter');
    await page.waitForLoadState('networkidle');
  };

/** The same, of a control that opens a dialog or menu. */
export const press =
  (name: string | RegExp, role?: Role): Act =>
  async (page) => {
    await tap(name, role)(page);
    await page.locator(overlay).first().waitFor();
  };

const steps =
  (...acts: Act[]): Act =>
  async (page) => {
    for (const act of acts) await act(page);
  };

const type =
  (key: string, text = ''): Act =>
  async (page) => {
    await page.keyboard.press(key);
    await page.locator('[role=dialog]').first().waitFor();
    await page.keyboard.type(text);
    await page.waitForLoadState('networkidle');
  };

const fill =
  (label: string, text: string): Act =>
  (page) =>
    page.getByRole('dialog').getByLabel(label).fill(text);

const choose =
  (label: string): Act =>
  (page) =>
    page.getByRole('dialog').getByLabel(label).check();

let addresses = 0;

/** An address that has no invitation. */
const fillNewAddress: Act = (page) => fill('E-mail address', `mira.${addresses++}@example.com`)(page);

/** The sidebar of a phone, and on a larger screen its menu of integrations. */
const openSidebar: Act = async (page) => {
  const isPhone = await page.getByRole('button', { name: 'Open the menu' }).isVisible();
  await press(isPhone ? 'Open the menu' : 'Storefront')(page);
};

const openFailedJob: Act = async (page) => {
  await page
    .getByRole('list', { name: 'Jobs' })
    .getByRole('button', { name: /Failed/ })
    .first()
    .press('Enter');
};

const failed = 'runs?conclusion=failure';
const view = `${failed}&branch=main`;
const invited = steps(press('Invite…'), fill('E-mail address', 'mira'));

/** Dialogs and menus of an integration with runs, a dead letter, a saved view, an invitation, a badge and a share link. */
export const busyOverlays: Overlay[] = [
  ['status', 'runs', press('Status')],
  ['workflow', 'runs', press('Workflow')],
  ['time', 'runs', press('Time')],
  ['times', 'runs', steps(press('Time'), press('Choose times…', 'menuitemradio'))],
  ['more', 'runs', press('More')],
  ['pull-request', 'runs', steps(press('More'), press('Pull request…', 'menuitemradio'))],
  ['views', failed, press('Views')],
  ['save-view', failed, steps(press('Views'), press('Save this view…', 'menuitem'))],
  ['rename-view', view, steps(press(/^View /), press('Rename this view…', 'menuitem'))],
  ['delete-view', view, steps(press(/^View /), press('Delete this view…', 'menuitem'))],
  ['palette', 'runs', type('Control+k')],
  ['palette-search', 'runs', type('Control+k', 'checkout')],
  ['shortcuts', 'runs', type('?')],
  ['group-by', 'metrics?days=7&groupBy=workflow', press('Group by')],
  ['delivery', 'deliveries', press(/^Open delivery/)],
  ['drop', 'dead-letters', press(/^Drop/)],
  ['invite', 'members', press('Invite…')],
  ['invite-refused', 'members', steps(invited, tap('Send invitation'))],
  ['invited-by-mail', 'members', steps(press('Invite…'), fillNewAddress, tap('Send invitation'))],
  ['invited-by-link', 'members', steps(press('Invite…'), choose('By link'), tap('Create link'))],
  ['discard', 'members', steps(invited, type('Escape'))],
  ['revoke-invitation', 'members', press(/^Revoke/)],
  ['delete-rule', 'rules', press(/^Delete /)],
  ['history', 'rules', press(/^Notifications of /)],
  ['branch', 'rules/new', press(/^Branch/)],
  ['leave-rule', 'rules/new', steps(tap('Notify nobody'), press('Cancel'))],
  ['secret', 'settings', press('Replace secret…')],
  ['secret-made', 'settings', steps(press('Replace secret…'), tap(/^Replace secret$/))],
  ['transfer', 'settings', press(/^Transfer/)],
  ['delete', 'settings', press(/^Delete/)],
  ['share-link', 'settings', press('Create share link…')],
  [
    'share-link-made',
    'settings',
    steps(press('Create share link…'), fill('Name', 'Lobby'), tap(/^Create share link$/)),
  ],
  ['revoke-link', 'settings', press(/^Revoke Office/)],
  ['badge', 'settings', press('Create badge…')],
  ['remove-badge', 'settings', press(/^Remove the badge/)],
  ['traces', 'settings', press('Export traces…')],
  ['token', 'settings', press('Create token…')],
  [
    'token-made',
    'settings',
    steps(press('Create token…'), fill('Name', 'Deploy bot'), tap(/^Create token$/)),
  ],
  ['revoke-token', 'settings', press(/^Revoke Deploy bot/)],
  ['subscription', 'settings', press('Add subscription…')],
  ['sidebar', 'overview', openSidebar],
];

/** Of an integration with a webhook subscription, and an export of traces. */
export const webhookOverlays = (log: string): Overlay[] => [
  ['edit-subscription', 'settings', press('Edit Chat bot')],
  ['signing-secret', 'settings', press(/^Replace the signing secret/)],
  ['disable-subscription', 'settings', press('Disable Chat bot')],
  ['delete-subscription', 'settings', press('Delete Chat bot')],
  ['replay-failed', log, press('Replay failed…')],
  ['edit-traces', 'settings', press('Edit export…')],
  ['remove-traces', 'settings', press('Remove export…')],
];

/** Of an integration with sample traffic, whose forge is connected. */
export const sampleOverlays = (run: string, group: string): Overlay[] => [
  ['assign', 'overview', press(/^Assign /)],
  ['snooze', 'overview', press(/^Snooze /)],
  ['close-incident', 'overview', press(/^Close /)],
  ['failure-status', group, press(/^Status of /)],
  ['note', group, steps(press(/^Status of /), tap('Known flaky', 'menuitemradio'), press('Add note…'))],
  ['rerun-failed', run, press('Re-run failed jobs')],
  ['rerun-all', run, press('Re-run all jobs')],
  ['rerun-job', run, steps(openFailedJob, press('Re-run job'))],
  ['token-replace', 'settings', press('Replace token…')],
  ['token-repositories', 'settings', press('Choose repositories…')],
  ['token-remove', 'settings', press('Remove token')],
  ['remove-samples', 'settings', press('Remove sample data…')],
];

export const openedPages = (base: string, overlays: Overlay[]): Shot[] =>
  overlays.map(([name, page, act]) => ({ name: `open-${name}`, at: `${base}/${page}`, act }));
