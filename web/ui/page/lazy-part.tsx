import { createElement, Suspense, use, type ComponentType, type ReactNode } from 'react';
import { definePart } from '../../api/parts/load-part.ts';

/**
 * A component that loads on first use and shows `fallback` until then. The router waits for `preload` before navigation.
 * @param file the imported file without its extension
 * @param name what the file exports it as
 */
export function lazyPart<Name extends string, Props extends object>(
  file: string,
  name: Name,
  importFile: () => Promise<Record<Name, ComponentType<Props>>>,
  fallback?: ReactNode,
) {
  let component: ComponentType<Props> | undefined;
  const load = definePart(file, async () => (component = (await importFile())[name]));
  const Loading = (props: Props) => createElement(component ?? use(load()), props);
  const Part = (props: Props) => (
    <Suspense fallback={fallback}>
      <Loading {...props} />
    </Suspense>
  );
  const preload = (): Promise<void> | undefined => (component ? undefined : load().then(() => undefined));
  return Object.assign(Part, { preload });
}
