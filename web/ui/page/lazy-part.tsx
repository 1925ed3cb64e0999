import { createElement, use, type ComponentType } from 'react';
import { definePart } from '../../api/parts/load-part.ts';

/**
 * A component that loads on first use. The router waits for `preload` before navigation; elsewhere it needs a `Suspense`.
 * @param file the imported file without its extension
 * @param name what the file exports it as
 */
export function lazyPart<Name extends string, Props extends object>(
  file: string,
  name: Name,
  importFile: () => Promise<Record<Name, ComponentType<Props>>>,
) {
  let component: ComponentType<Props> | undefined;
  const load = definePart(file, async () => (component = (await importFile())[name]));
  const Part = (props: Props) => createElement(component ?? use(load()), props);
  const preload = (): Promise<void> | undefined => (component ? undefined : load().then(() => undefined));
  return Object.assign(Part, { preload });
}
