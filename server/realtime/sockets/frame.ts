import * as ws from 'ws';
import type { ServerMessage } from '#contract/realtime.ts';

interface FrameOptions {
  fin: boolean;
  opcode: number;
  mask: boolean;
  readOnly: boolean;
  rsv1: boolean;
}

/** Exported by `ws` but not by its types; a test compares its bytes with what `ws` itself sends. */
const { Sender } = ws as unknown as {
  Sender: { frame(data: Buffer, options: FrameOptions): Buffer[] };
};

const textOpcode = 1;

/** The bytes of one message as every socket gets them, so that a fan-out encodes and frames once. */
export function frameOf(message: ServerMessage): Buffer {
  const data = Buffer.from(JSON.stringify(message));
  return Buffer.concat(
    Sender.frame(data, { fin: true, opcode: textOpcode, mask: false, readOnly: true, rsv1: false }),
  );
}
