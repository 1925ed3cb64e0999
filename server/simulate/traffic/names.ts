/** Fictional names and texts. Hosts end in `.test`, which never resolves (RFC 6761). */

export const organizationLogin = 'fernhill';

export const repositoryNames = [
  'web-console',
  'billing-api',
  'search',
  'mobile-app',
  'auth-gateway',
  'data-pipeline',
  'design-tokens',
  'edge-proxy',
  'reports',
  'infra-live',
  'notifier',
  'docs-site',
] as const;

export const people = [
  'mira-okafor',
  'tdvorak',
  'jonas-weil',
  'priya-ramanan',
  'lhaverkamp',
  'sofia-brandt',
  'kenji-morita',
  'amara-dialo',
  'noor-hadad',
  'eli-wintersen',
] as const;

export const bots = ['dependabot[bot]', 'renovate[bot]'] as const;

export const outsiders = ['ferret-rail', 'quietpixel', 'oda-lind', 'marbleotter'] as const;

export const changes = [
  { title: 'Retry the upload when the connection drops', branch: 'upload-retry' },
  { title: 'Show the time zone beside every deadline', branch: 'deadline-time-zone' },
  { title: 'Cache the price list for five minutes', branch: 'cache-price-list' },
  { title: 'Fix the off-by-one in the page counter', branch: 'page-counter' },
  { title: 'Move session clean-up into its own task', branch: 'session-clean-up' },
  { title: 'Refuse invitations to an address that bounced', branch: 'bounced-invitations' },
  { title: 'Speed up the nightly import with batches', branch: 'import-batches' },
  { title: 'Log the reason when a token is refused', branch: 'token-refusal-reason' },
  { title: 'Make the sidebar usable with a keyboard', branch: 'sidebar-keyboard' },
  { title: 'Drop the unused index on orders', branch: 'drop-orders-index' },
  { title: 'Round amounts once, at the end', branch: 'rounding' },
  { title: 'Split the settings page in tabs', branch: 'settings-tabs' },
  { title: 'Explain the empty search result', branch: 'empty-search' },
  { title: 'Keep the scroll position after a refresh', branch: 'scroll-position' },
  { title: 'Send the digest on the first working day', branch: 'digest-day' },
  { title: 'Raise the limit of attachments to 40 MB', branch: 'attachment-limit' },
] as const;

export const upgrades = [
  { name: 'tinyroute', from: '4.2.0', to: '4.2.1' },
  { name: 'pgwire-lite', from: '8.13.1', to: '8.14.0' },
  { name: 'chartwell', from: '2.9.0', to: '3.0.0' },
  { name: 'zodiac-schema', from: '1.7.3', to: '1.7.4' },
  { name: 'fetchling', from: '0.30.2', to: '0.31.0' },
] as const;

export const releaseBranches = ['release/4.1', 'release/4.2'] as const;

export const labels = [
  { name: 'bug', color: 'd73a4a', description: 'Something does not work' },
  { name: 'feature', color: 'a2eeef', description: 'Something new' },
  { name: 'dependencies', color: '0366d6', description: 'Updates a dependency' },
  { name: 'backport', color: 'fbca04', description: 'Also wanted on the release branch' },
  { name: 'needs review', color: 'c5def5', description: 'Waits for a second pair of eyes' },
] as const;

export const reviewBodies = {
  approved: ['Good to go.', 'Nice, much easier to follow now.', null],
  changes_requested: [
    'The error path is not covered yet, see inline.',
    'Please keep the old name for one release.',
  ],
  commented: ['One question inline.', 'Left two small remarks, none of them blocking.', null],
} as const;
