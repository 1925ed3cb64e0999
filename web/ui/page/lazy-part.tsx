import { createElement, use, type ComponentType } from 'react';
import { definePart } from '../../api/load-part.ts';

/**
 * A component in a file of its own. The router waits for `preload` before it leaves the page before; others need a
 * `Suspense`.
 */
export function lazyPart<Props extends object>(
  name: string,
  importComponent: () => Promise<ComponentType<Props>>,
) {
  let component: ComponentType<Props> | undefined;
  const load = definePart(name, async () => {
    component = await importComponent();
    return component;
  });
  const Part = (props: Props) => createElement(component ?? use(load()), props);
  const preload = (): Promise<void> | undefined => (component ? undefined : load().then(() => undefined));
  return Object.assign(Part, { preload });
}
