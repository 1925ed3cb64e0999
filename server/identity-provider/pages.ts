import { html, page } from './page.ts';

/** The sign-in of a trial: one button, or a further person by name. */
export function demoPage(fault?: string): string {
  return page(
    'Sign in',
    html`<p>
        This is a demo sign-in without a password. It works on this machine only: nobody else can reach it.
      </p>
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

/** Nothing is set that people could sign in with. */
export function nothingConfiguredPage(): string {
  return page(
    'Nobody can sign in yet',
    html`<p>
        Whoever runs this service has to say where people sign in. Set one of these and start it again:
      </p>
      <p>
        <code>FORGE_CLIENT_ID</code> and <code>FORGE_CLIENT_SECRET</code>: an OAuth application of the forge,
        or
      </p>
      <p><code>OIDC_ISSUER</code> and <code>OIDC_CLIENT_ID</code>: an OpenID provider of your own.</p>
      <p>
        The demo sign-in without either works only where the service listens on this machine alone and is
        opened as <code>localhost</code>.
      </p>`,
  );
}

/** Something went wrong on the way; `detail` is for the person. */
export function faultPage(title: string, detail: string, homeUrl: string): string {
  return page(
    title,
    html`<p>${detail}</p>
      <p><a class="button first" href="${homeUrl}">Back to Forgewatch</a></p>`,
  );
}

/** Somebody asks to sign out without showing whom they mean. */
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
