const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as text in an HTML mail, whatever it holds. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
