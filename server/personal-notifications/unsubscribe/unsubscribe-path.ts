/** Of links in mails: it must not change. */
export const unsubscribePath = '/api/unsubscribe';
