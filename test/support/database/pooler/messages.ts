/** Calls `hear` for each whole message of one direction of the Postgres protocol. The first message of a client has no type. */
export function splitMessages(
  isClient: boolean,
  hear: (type: string, message: Buffer) => void,
): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let head = isClient ? 0 : 1;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= head + 4) {
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      const type = head === 0 ? 'startup' : String.fromCharCode(message[0]!);
      head = 1;
      hear(type, message);
    }
  };
}

/** A message of a type with these texts, each ended by a zero byte. */
export function makeMessage(type: string, ...texts: string[]): Buffer {
  const body = Buffer.from(texts.map((text) => `${text}\0`).join(''));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const protocolVersion = 0x00_03_00_00;

/** The parameters of a startup message. */
export function readStartup(message: Buffer): [name: string, value: string][] {
  const texts = message.subarray(8).toString().split('\0');
  const names = texts.filter((text, place) => place % 2 === 0 && text !== '');
  return names.map((name, place) => [name, texts[2 * place + 1] ?? '']);
}

export function makeStartup(parameters: [name: string, value: string][]): Buffer {
  const body = Buffer.from(`${parameters.map((pair) => `${pair.join('\0')}\0`).join('')}\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.writeUInt32BE(protocolVersion, 4);
  return Buffer.concat([head, body]);
}
