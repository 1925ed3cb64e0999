// Runs before the first paint, so that the page does not flash in the wrong theme.
try {
  const theme = localStorage.getItem('forgewatch.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be disabled; the system theme applies.
}

// Loads the files of the page beside the app, which requests them only when it runs: `overview-route`, and `run-route` for `runs/42`.
const [, , , page = '', detail] = location.pathname.split('/');
const part = `${detail === undefined ? page : page.replace(/s$/, '')}-route `;
const parts = document.querySelector('meta[name=parts]')?.content.split(',') ?? [];
for (const file of parts
  .find((each) => each.startsWith(part))
  ?.split(' ')
  .slice(1) ?? []) {
  // The app requests the file again, and handles the error.
  fetch(`/${file}`).catch(() => {});
}
