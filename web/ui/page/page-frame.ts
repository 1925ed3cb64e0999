import { createContext } from 'react';

/** Functions of the layout that pages use. */
export const PageFrame = createContext<{ openSidebar: () => void }>({ openSidebar: () => {} });
