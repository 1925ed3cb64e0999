/**
 * `webhooks` keeps the webhooks of repositories up to date, `unfinished` asks for runs that never completed, `failures` reads the
 * logs of failed jobs.
 */
export type ForgeTaskKind = 'webhooks' | 'history' | 'unfinished' | 'failures';
