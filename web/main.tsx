import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, ready } from './app/app.tsx';
import { fixLanguage } from './app/fix-language.ts';
import { takeDemoKey } from './identity/take-demo-key.ts';

fixLanguage();
takeDemoKey();
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const app = (
  <StrictMode>
    <App />
  </StrictMode>
);
void ready.then(() => createRoot(root).render(app));
