export const userPath = '/api/user';
