/** Marks that a person left or deleted an integration on purpose. */
export const departureKey = (integrationId: string) => ['departure', integrationId];
