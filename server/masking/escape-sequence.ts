/**
 * Every form of an escape sequence (ECMA-48, 5.4 and 5.6). A class never contains the character that follows it, so that a match takes
 * linear time. The first group holds the parameters of a change of colour.
 */
export const escapeSequence =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)(?:([0-9;:]*)m|[0-?]*[ -/]*[@-~]?)|\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|\u001b[PX^_][^\u001b\n]*(?:\u001b\\)?|\u001b[ -/]*[0-~]?/g;
