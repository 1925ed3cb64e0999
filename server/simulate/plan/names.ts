/** Fictional names and texts. Hosts end in `.test`, which never resolves (RFC 6761). */

export const people = [
  'mira-okafor',
  'tdvorak',
  'jonas-weil',
  'priya-ramanan',
  'sofia-brandt',
  'kenji-morita',
  'noor-hadad',
] as const;

export const bots = ['dependabot[bot]', 'renovate[bot]'] as const;

export const outsiders = ['ferret-rail', 'quietpixel', 'oda-lind'] as const;

export const changes = [
  { title: 'Retry the upload when the connection drops', branch: 'upload-retry' },
  { title: 'Show the time zone beside every deadline', branch: 'deadline-time-zone' },
  { title: 'Cache the price list for five minutes', branch: 'cache-price-list' },
  { title: 'Fix the off-by-one in the page counter', branch: 'page-counter' },
  { title: 'Move session clean-up into its own task', branch: 'session-clean-up' },
  { title: 'Speed up the nightly import with batches', branch: 'import-batches' },
  { title: 'Make the sidebar usable with a keyboard', branch: 'sidebar-keyboard' },
  { title: 'Drop the unused index on orders', branch: 'drop-orders-index' },
  { title: 'Round amounts once, at the end', branch: 'rounding' },
  { title: 'Explain the empty search result', branch: 'empty-search' },
] as const;

export const label = {
  name: 'needs review',
  color: 'c5def5',
  description: 'Waits for a second pair of eyes',
};
