/** Numbers younger than this are not read again: they were read for the first rendering of their page. */
export const firstReadMs = 1000;
