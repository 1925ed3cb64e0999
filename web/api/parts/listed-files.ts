/** The files of each lazily loaded part. The build lists them in the page; development has no list. */
export function listedFiles(): Map<string, string[]> {
  const list = document.querySelector<HTMLMetaElement>('meta[name=parts]')?.content ?? '';
  return new Map(list.split(',').map((part) => [part.split(' ')[0] ?? '', part.split(' ').slice(1)]));
}
