/** Numbers that were read before their page is rendered are not read again by it. */
export const firstReadMs = 1000;
