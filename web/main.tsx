import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { mendLanguage } from './app/mend-language.ts';
import { takeDemoKey } from './identity/take-demo-key.ts';

mendLanguage();
takeDemoKey();
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
