import { createElement, use, type ComponentType } from 'react';
import { definePart } from '../../api/load-part.ts';

/** A lazily loaded component. The router waits for `preload` before navigation; elsewhere it needs a `Suspense`. */
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
