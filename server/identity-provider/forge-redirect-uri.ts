/** Where the forge's sign-in comes back to. */
export const forgeRedirectUri = (publicUrl: string): string => `${publicUrl}/oidc/forge`;
