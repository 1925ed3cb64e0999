import type { ServerMessage } from '#contract/runs/realtime.ts';

const finalText = 0x81;
const maxShort = 125;
const maxMedium = 0xffff;

/** Encodes a message once for all sockets: an unmasked text frame (RFC 6455, section 5.2). */
export function frameOf(message: ServerMessage): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  return Buffer.concat([headerOf(text.length), text]);
}

function headerOf(bytes: number): Buffer {
  if (bytes <= maxShort) return Buffer.from([finalText, bytes]);
  const header = Buffer.alloc(bytes <= maxMedium ? 4 : 10);
  header[0] = finalText;
  header[1] = bytes <= maxMedium ? 126 : 127;
  if (bytes <= maxMedium) header.writeUInt16BE(bytes, 2);
  else header.writeBigUInt64BE(BigInt(bytes), 2);
  return header;
}
