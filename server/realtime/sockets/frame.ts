import * as ws from 'ws';
import type { ServerMessage } from '#contract/realtime.ts';

interface FrameOptions {
  fin: boolean;
  opcode: number;
  mask: boolean;
  readOnly: boolean;
  rsv1: boolean;
}

/** `ws` exports it, its types do not. A test compares its bytes with those that `ws` sends. */
const { Sender } = ws as unknown as {
  Sender: { frame(data: Buffer, options: FrameOptions): Buffer[] };
};

const textOpcode = 1;

/** Encodes a message once for all sockets. */
export function frameOf(message: ServerMessage): Buffer {
  const data = Buffer.from(JSON.stringify(message));
  return Buffer.concat(
    Sender.frame(data, { fin: true, opcode: textOpcode, mask: false, readOnly: true, rsv1: false }),
  );
}
