import { mostRedNow } from '#contract/alerts/alerts.ts';

/** What happened when a rule was saved, and how many notifications follow at once. */
export function savedText(what: string, notifiesNow: number | null): string {
  if (notifiesNow === null)
    return `${what}. What is red now could not be checked. Save the rule again to be notified about it.`;
  if (notifiesNow === 0) return what;
  const count = notifiesNow >= mostRedNow ? `the ${mostRedNow} newest` : String(notifiesNow);
  return `${what}. It notifies about ${count} ${notifiesNow === 1 ? 'workflow that is' : 'workflows that are'} red now.`;
}
