import { anyOf } from '#platform/runtime/any-of.ts';

/** Lines that contain words of errors and explain nothing. Applied to the trimmed line. */
const noise: readonly RegExp[] = [
  /^npm (?:ERR!|error)(?:\s*$| (?:A complete log|code E?[A-Z0-9]+$|errno |syscall |path |dest |file |cwd |signal |location |workspace |in workspace|gyp (?:info|verb|ERR! (?:cwd|node|System|stack\s+at)|http)|command (?!failed)|This is probably not|For a full report|\/|\s*at ))/,
  /^\[(?:ERROR|INFO)\](?:\s*$|\s+(?:-> )?\[Help \d|\s+(?:To see the full|Re-run Maven|For more information|After correcting|Please refer to|See .{1,200} for the individual|mvn <|COMPILATION ERROR|BUILD FAILURE|Failures:|Errors:|[-=]{5}))/,
  /^(?:FAILURE: Build failed with an exception|BUILD FAILED|Build FAILED|\* Try:|> Run with |> Get more help)/,
  /^(?:error|errors|failed|failures?|fails|errored)\s*(?:[:=]\s*)?(?:0|false|null|none|no|undefined|\[\]|\{\}|""|'')\s*,?$/i,
  /^(?:0|no) (?:errors?|failures?|failed)\b/i,
  /^\+{1,4} /,
  /^(?:Require stack:|Traceback \(most recent call last\):|Error Message:|Stack Trace:|note: |help: |hint: |warning[:[]|##\[(?:group|endgroup|warning|debug|command|notice|section)\]|::(?:group|endgroup|warning|debug|notice|add-mask))/i,
  /^(?:at |# |\/\/ )/,
];

export const isNoise = anyOf(noise);
