const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
