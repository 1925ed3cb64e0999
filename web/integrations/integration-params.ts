import { getRouteApi } from '@tanstack/react-router';

const route = getRouteApi('/integrations/$integrationId');

/** The integration of the page, as the parameters of links inside of it. */
export const useIntegrationParams = (): { integrationId: string } => route.useParams();
