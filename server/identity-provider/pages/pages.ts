import { html, page } from './page.ts';

/** Asks for the key of the demo sign-in and says where to find it. */
export function demoKeyPage(fault?: string): string {
  return page(
    'The demo sign-in needs a key',
    html`<p>
        Open the address that <code>npm start</code> printed, or run <code>npx forgewatch doctor</code>, which
        prints it again. A new start makes a new key.
      </p>
      <form method="post">
        <label for="key">Key, or the whole address</label>
        ${fault === undefined ? html`` : html`<p class="fault" id="fault" role="alert">${fault}</p>`}
        <input
          id="key"
          name="key"
          maxlength="2000"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          required
          autofocus
          ${fault === undefined ? html`` : html`aria-invalid="true" aria-describedby="fault"`}
        />
        <button class="first">Continue</button>
      </form>`,
  );
}

/** The demo sign-in: one button for the demo user, and a field for another name. */
export function demoPage(fault?: string): string {
  return page(
    'Sign in',
    html`<p>This is a demo sign-in without a password, for a trial on one machine.</p>
      <form method="post">
        <button class="first" name="demo" value="1">Continue as demo user</button>
      </form>
      <hr />
      <form method="post">
        <label for="name">Name of somebody else, to try roles and invitations</label>
        ${fault === undefined ? html`` : html`<p class="fault" id="fault" role="alert">${fault}</p>`}
        <input
          id="name"
          name="name"
          maxlength="60"
          autocomplete="off"
          required
          ${fault === undefined ? html`` : html`aria-invalid="true" aria-describedby="fault"`}
        />
        <button>Continue as this person</button>
      </form>`,
  );
}

/** Shown when no sign-in method is configured. */
export function notConfiguredPage(): string {
  return page(
    'Nobody can sign in yet',
    html`<p>No sign-in method is configured. Set one of these on the server and restart it:</p>
      <p>
        <code>FORGE_CLIENT_ID</code> and <code>FORGE_CLIENT_SECRET</code>: an OAuth application of the forge,
        or
      </p>
      <p><code>OIDC_ISSUER</code> and <code>OIDC_CLIENT_ID</code>: an OpenID provider of your own.</p>
      <p>
        The demo sign-in is offered only while <code>HOST</code> and <code>PUBLIC_URL</code> are loopback and
        <code>DEMO_SIGN_IN</code> is not <code>off</code>.
      </p>`,
  );
}

/** An error page. `detail` is shown to the person. */
export function errorPage(title: string, detail: string, homeUrl: string): string {
  return page(
    title,
    html`<p>${detail}</p>
      <p><a class="button first" href="${homeUrl}">Back to Forgewatch</a></p>`,
  );
}

/** Confirms a sign-out request without an ID token. */
export function confirmSignOutPage(action: string, xsrf: string): string {
  return page(
    'Sign out?',
    html`<form method="post" action="${action}">
      <input type="hidden" name="xsrf" value="${xsrf}" />
      <p>This ends your session at the sign-in page of Forgewatch.</p>
      <p><button class="first" name="logout" value="yes">Sign out</button></p>
      <button>Stay signed in</button>
    </form>`,
  );
}
