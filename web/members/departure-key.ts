/** The mutation by which somebody leaves or deletes an integration of their own will. */
export const departureKey = (integrationId: string) => ['departure', integrationId];
