import { useMatch, useNavigate, useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { lazyPart } from '../../ui/page/lazy-part.tsx';

interface PageProps<Search> {
  integrationId: string;
  search: Search;
  /** `isTyping` adds no history step. */
  onChange: (change: Partial<Search>, isTyping?: boolean) => void;
}

/** A page of an integration that keeps its state in the query parameters of its address. The parameters are those of `lazyPart`. */
export function integrationPage<Name extends string, Search extends object>(
  file: string,
  name: Name,
  importFile: () => Promise<Record<Name, ComponentType<PageProps<Search>>>>,
) {
  const Part = lazyPart(file, name, importFile);
  const Page = () => {
    const { integrationId = '' } = useParams({ strict: false });
    const { fullPath, search } = useMatch({ strict: false });
    const navigate = useNavigate({ from: fullPath });
    return (
      <Part
        // The state of one integration must not appear on the page of another.
        key={integrationId}
        integrationId={integrationId}
        search={search as Search}
        onChange={(change, isTyping = false) =>
          void navigate({ to: '.', search: (previous) => ({ ...previous, ...change }), replace: isTyping })
        }
      />
    );
  };
  return Object.assign(Page, { preload: Part.preload });
}
