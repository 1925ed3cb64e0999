import { createHash } from 'node:crypto';

/** Text that is already markup. `html` escapes every other value. */
export interface Markup {
  markup: string;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup from a template, every value escaped. */
export function html(parts: TemplateStringsArray, ...values: (string | Markup)[]): Markup {
  const texts = values.map((value) =>
    typeof value === 'string' ? value.replace(/[&<>"']/g, (found) => entities[found] ?? '') : value.markup,
  );
  return { markup: parts.map((part, index) => part + (texts[index] ?? '')).join('') };
}

/** The tokens of the web app, light first. */
const style = `
:root{color-scheme:light dark;--canvas:light-dark(#fbfbfc,#0f1115);--surface:light-dark(#fff,#14171c);--line:light-dark(#e3e6ea,#262b33);--line-strong:light-dark(#cdd2d9,#3a414c);--text:light-dark(#16181d,#e7e9ec);--muted:light-dark(#4a525e,#a6aeb9);--accent:light-dark(#1d4ed8,#8ab0ff);--on-accent:light-dark(#fff,#0f1115);--failed:light-dark(#b3141f,#ff8087);--hover:light-dark(#f2f4f6,#1b1f26)}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;background:var(--canvas);color:var(--text);font:0.8125rem/1.25rem system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif}
main{width:100%;max-width:24rem;padding:1.5rem;background:var(--surface);border:1px solid var(--line);border-radius:.5rem}
h1{margin:0 0 .5rem;font-size:1rem;line-height:1.5rem;font-weight:600}
p{margin:0 0 1rem;color:var(--muted)}
form{margin:0 0 1rem}
form:last-child,p:last-child{margin-bottom:0}
label{display:block;margin-bottom:.25rem}
input{width:100%;height:2.25rem;margin-bottom:.5rem;padding:0 .625rem;font:inherit;color:inherit;background:var(--canvas);border:1px solid var(--line-strong);border-radius:.375rem}
button,.button{display:block;width:100%;height:2.25rem;padding:0 .75rem;font:inherit;font-weight:500;line-height:2.25rem;text-align:center;text-decoration:none;cursor:pointer;color:inherit;background:var(--surface);border:1px solid var(--line-strong);border-radius:.375rem}
button:hover,.button:hover{background:var(--hover)}
.first{color:var(--on-accent);background:var(--accent);border-color:var(--accent)}
.first:hover{color:var(--on-accent);background:var(--accent);text-decoration:underline}
.fault{color:var(--failed)}
hr{margin:1rem 0;border:0;border-top:1px solid var(--line)}
code{font-family:ui-monospace,'SF Mono',Menlo,Consolas,monospace}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`;
const styleHash = createHash('sha256').update(style).digest('base64');

export const pageType = 'text/html; charset=utf-8';

/**
 * Security headers of a page: no scripts, no frames. Forms may lead to the origins of the web app, because redirects after a form
 * end there.
 */
export function pageHeaders(formTargets: readonly string[]): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${styleHash}'`,
      `form-action ${["'self'", ...formTargets].join(' ')}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** A complete page in the style of the web app. */
export function page(title: string, body: Markup): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} - Forgewatch</title>
        ${{ markup: `<style>${style}</style>` }}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`.markup;
}
