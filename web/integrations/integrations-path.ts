export const integrationsPath = '/api/integrations';
