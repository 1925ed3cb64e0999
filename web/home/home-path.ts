export const homePath = '/api/home';
