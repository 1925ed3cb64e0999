import { createContext } from 'react';

/** What a page can ask of the frame around it. */
export const PageFrame = createContext<{ openSidebar: () => void }>({ openSidebar: () => {} });
