import { visibleText } from '#contract/base/plain-text.ts';

type Attributes = Record<string, string | number | null>;

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** An element with attributes, without those that are null, and with children that are XML already. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const given = Object.entries(attributes).map(([key, value]) =>
    value === null ? '' : ` ${key}="${escapeXml(String(value))}"`,
  );
  const open = `<${name}${given.join('')}`;
  return children.length === 0 ? `${open}/>\n` : `${open}>${children.join('')}</${name}>\n`;
}

/** Names at a forge may contain characters that XML cannot, such as control characters and lone surrogates. */
export function escapeXml(text: string): string {
  return visibleText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[\ufffe\uffff]/g, '');
}
