/** What an entry of an integration's event log tells of. The text before the dot is its group, for filters. */
export const entryTypes = [
  'dead_letters',
  'integration.created',
  'integration.renamed',
  'integration.secret_rotated',
  'integration.events_changed',
  'integration.ownership_transferred',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'member.left',
  'invitation.created',
  'invitation.resent',
  'invitation.revoked',
  'invitation.mail_failed',
] as const;
export type EntryType = (typeof entryTypes)[number];

export const severities = ['info', 'warning', 'error'] as const;
export type Severity = (typeof severities)[number];
