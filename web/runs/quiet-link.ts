/** The look of links that are many on a page: an underline that is fainter than the text. */
export const quietLink =
  'rounded-xs underline decoration-line-strong underline-offset-3 hover:decoration-current';
