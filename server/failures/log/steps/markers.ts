/** Where a step begins in the log of a job: GitHub and act_runner print a group with what is run. */
const start = /^(?:##\[group\]|::group::)Run (.+)|^(?:⭐ )?Run (?:Main|Post|Pre) (.+)|^(Post job cleanup\.)$/;
const endOfHeader = /^(?:##\[endgroup\]|::endgroup::)/;

/** The title of the step that begins with this line. */
export function titleOfStart(text: string): string | undefined {
  const found = start.exec(text);
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** A group holds the script, its shell and its environment until it ends. */
export const isStartOfGroup = (text: string): boolean => /^(?:##\[group\]|::group::)/.test(text);

export const isEndOfHeader = (text: string): boolean => endOfHeader.test(text);

/** The name of a step without `name` is `Run` and its first line or action. */
export const isNameOf = (name: string, title: string): boolean => name === title || name === `Run ${title}`;

/** A line that the forge prints to divide the log. */
export const isMarker = (text: string): boolean =>
  /^(?:##\[(?:group|endgroup|section|command|debug)\]|::(?:group|endgroup|debug)::|\[command\]|⭐ |✅ |🏁 )/.test(
    text.trimStart(),
  );
