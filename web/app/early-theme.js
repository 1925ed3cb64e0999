// Runs before the first paint, so that a theme chosen by hand does not flash the other one.
try {
  const theme = localStorage.getItem('forgewatch.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's theme stands.
}
