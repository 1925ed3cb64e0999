import { createContext } from 'react';

/** True inside margins: in sections, dialogs and plain pages. What loads or fails there begins at the edge and takes one line. */
export const HasMargins = createContext(false);
