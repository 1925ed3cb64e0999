/** `wrong` must be fixed, `note` is information. */
export interface Finding {
  check: string;
  verdict: 'ok' | 'note' | 'wrong';
  text: string;
}
